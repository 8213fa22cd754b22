import { documentIdOf } from '../../../common/contract/document-ids.js';
import { Choice, DateTime, Integer, Text, TextList } from '../../../common/fields/fields.js';
import { fitAnswer, type AgentAnswer, type AnswerItem } from '../agent-answer.js';
import { idOf } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import { tryPart, type LeftOut, type Servers } from '../servers.js';
import { AgentId, Cursor, placeOf, TokenBudget } from '../shared-arguments.js';
import { strongestFit } from '../../../search/fit.js';
import type { Fit } from '../../../search/fit.types.js';
import { asAddressHolds, interleave, linesOf } from './found.rules.js';

class SearchArguments {
  @Text({ about: 'What you want to know, in words.', min: 2, max: 20_000 })
  query!: string;

  @Choice({ about: 'Where to look.', values: ['all', 'documents', 'facts'], default: 'all' })
  in!: 'all' | 'documents' | 'facts';

  @TextList({ about: 'Only these corpora.', max: 512, maxItems: 100, default: [] })
  corpus_ids!: string[];

  @Integer({ about: 'Most results.', min: 1, max: 50, default: 5 })
  limit!: number;

  @Cursor()
  cursor?: string;

  @TokenBudget(1200)
  token_budget!: number;

  @DateTime({ about: 'Facts as they held then.', optional: true })
  as_of?: string;

  @Choice({ about: 'verified and audit leave a receipt.', values: ['light', 'verified', 'audit'], default: 'light' })
  lane!: 'light' | 'verified' | 'audit';

  @AgentId()
  agent_id!: string;
}

/** Of POST /v1/retrieve, what is shown. */
interface Retrieved {
  results: {
    chunkId: string;
    docId: string;
    corpusId: string;
    content: string;
    title: string | null;
    source: string;
  }[];
  credit_cost: number;
  meta: { fit: Fit; note?: string; truncated: boolean; retrievalId?: string; receiptId?: string };
}

/** Of GET /v1/facts, what is shown. */
interface FoundFacts {
  facts: FoundFact[];
  matched: boolean;
  fit?: Fit;
}
interface FoundFact {
  fact_id: string;
  entity: string;
  key: string;
  value: string;
  actor: string;
  stored_at: string;
  confidence: number;
  source_changed?: true;
}

export const SEARCH = agentTool<SearchArguments>({
  name: 'search',
  title: 'Search',
  description:
    'Finds passages of documents and facts. Each comes with an id to read, cite, link, prove or watch. fit none: hardly a word of yours is there; read what came, ask once in others, then say so.',
  given: SearchArguments,
  routes: ['api POST /v1/retrieve', 'daemon GET /v1/facts'],
  isRead: true,
  isOpenWorld: true,
  run: search,
});

/** @throws RouteRefusal where no place was looked at: nothing can be said of how well anything fits */
function checkLookedAt(found: object | undefined, [first]: readonly LeftOut[]): void {
  if (!found && first) throw first.refusal;
}

async function search(asked: SearchArguments, servers: Servers): Promise<AgentAnswer> {
  const from = placeOf(asked.cursor);
  // The pages before are found again: the same ranking, and nothing is kept between two calls.
  // One more than is shown says whether there is a next page.
  const given = { ...asked, limit: Math.min(MAX_RESULTS, from + asked.limit + 1) };
  const leftOut: LeftOut[] = [];
  const [documents, facts] = await Promise.all([
    given.in === 'facts' ? undefined : tryPart('documents', leftOut, () => findPassages(given, servers)),
    given.in === 'documents' ? undefined : tryPart('facts', leftOut, () => findFacts(given, servers)),
  ]);
  if (!documents) checkLookedAt(facts, leftOut);
  const isMatched = facts?.matched ?? false;
  const fits = [documents?.meta.fit, isMatched ? facts?.fit : undefined];
  const fit = strongestFit(fits.filter((one) => one !== undefined)) ?? 'none';
  const ofDocuments = (documents?.results ?? []).map(passageItem);
  const ofFacts = (facts?.facts ?? []).map(factItem);
  // Facts that no word of the query matched are shown last: the newest, so that none is silently absent.
  const items = isMatched ? interleave(ofDocuments, ofFacts) : [...ofDocuments, ...ofFacts];
  return fitAnswer(
    {
      head: [`fit: ${fit}`],
      ...{ items, from, limit: asked.limit },
      itemsAs: 'results',
      end: () => endOf({ leftOut, fit, isMatched, documents, facts }),
    },
    given.token_budget,
  );
}

const findPassages = async (given: SearchArguments, servers: Servers): Promise<Retrieved> => {
  const body = {
    ...{ query: given.query, corpusIds: given.corpus_ids, limit: given.limit, lane: given.lane, synonyms: true },
    agentId: given.agent_id,
  };
  return (await servers.call<Retrieved>('api', 'POST /v1/retrieve', { body })).body;
};

/** Results that POST /v1/retrieve answers at most. */
const MAX_RESULTS = 50;

const findFacts = async (given: SearchArguments, servers: Servers): Promise<FoundFacts> => {
  const query = {
    query: asAddressHolds(given.query),
    ...{ top_k: given.limit, as_of: given.as_of, fallback: 'newest', synonyms: true },
  };
  return (await servers.call<FoundFacts>('daemon', 'GET /v1/facts', { query })).body;
};

function passageItem(passage: Retrieved['results'][number]): AnswerItem {
  const { chunkId, docId, title, content, source } = passage;
  const document = idOf('document', documentIdOf(passage));
  return {
    text: `\n[${chunkId}] ${title ?? docId} (${document}${source === 'commons' ? ', shared by others' : ''})\n${content}`,
    data: { id: chunkId, document },
  };
}

const factItem = (fact: FoundFact): AnswerItem => ({
  text: `\n[${idOf('fact', fact.fact_id)}] ${fact.entity} ${fact.key} = ${fact.value} (${fact.actor}, ${fact.stored_at.slice(0, 10)}${sureness(fact)})`,
  data: { id: idOf('fact', fact.fact_id) },
});

const sureness = ({ confidence, source_changed }: FoundFact): string =>
  (confidence < 1 ? `, confidence ${Number(confidence.toFixed(2))}` : '') +
  (source_changed ? ', its source has CHANGED' : '');

interface End {
  leftOut: LeftOut[];
  fit: Fit;
  isMatched: boolean;
  documents: Retrieved | undefined;
  facts: FoundFacts | undefined;
}

function endOf({ leftOut, fit, isMatched, documents, facts }: End) {
  const { note, retrievalId, receiptId } = documents?.meta ?? {};
  const cost = documents?.credit_cost ?? 0;
  const isMost = documents?.results.length === MAX_RESULTS && documents.meta.truncated;
  const unmatched = !isMatched && (facts?.facts.length ?? 0) > 0;
  const lines = linesOf({
    [`Documents: ${note}`]: note !== undefined,
    'No fact has a word of the query; those shown are the newest': unmatched,
    [`No more than the best ${MAX_RESULTS} of the documents can be listed; narrow the question`]: isMost,
    [`retrieval:${retrievalId} can be proved`]: retrievalId !== undefined,
    [`Cost: ${cost} credits`]: cost > 0,
    ...Object.fromEntries(leftOut.map(({ what, why }) => [`Without ${what}: ${why}`, true])),
  });
  return {
    lines,
    data: {
      ...{ fit, facts_matched: isMatched },
      ...(note === undefined ? {} : { note }),
      ...(retrievalId === undefined ? {} : { retrieval_id: idOf('retrieval', retrievalId) }),
      ...(receiptId === undefined ? {} : { receipt_id: idOf('receipt', receiptId) }),
      ...(leftOut.length > 0 ? { left_out: leftOut.map(({ what, why }) => ({ what, why })) } : {}),
    },
  };
}

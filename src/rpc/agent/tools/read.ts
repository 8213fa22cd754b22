import { documentIdOf, readDocumentId } from '../../../common/contract/document-ids.js';
import { Integer, Text } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { fitAnswer, type AgentAnswer, type AnswerParts, type Shown } from '../agent-answer.js';
import { idOf, kindsToTry, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import { findAt, findIfAllowed, type Servers } from '../servers.js';
import { TokenBudget } from '../shared-arguments.js';

class ReadArguments {
  @Text({ about: 'Of a passage, document, fact, answer or work item.', min: 1, max: 1100 })
  id!: string;

  @Integer({ about: 'Passages before and after it.', min: 0, max: 5, default: 0 })
  around!: number;

  @Integer({ about: 'Of a document: from this character.', min: 0, max: 4 * 1024 * 1024, default: 0 })
  from!: number;

  @TokenBudget(2000)
  token_budget!: number;
}

export const READ = agentTool<ReadArguments>({
  name: 'read',
  title: 'Read',
  description: 'Reads one thing by its id: whole, as it is now, and what became of its sources.',
  given: ReadArguments,
  routes: [
    'api GET /v1/passages/:chunkId',
    'api GET /v1/documents/:corpusId/:docId',
    'api GET /v1/answers/:answerId',
    'daemon GET /v1/facts/:factId',
    'daemon GET /v1/work/:id',
  ],
  isRead: true,
  isOpenWorld: true,
  run: read,
});

async function read(given: ReadArguments, servers: Servers): Promise<AgentAnswer> {
  const { kind, id } = readId(given.id);
  const readers: Partial<Record<string, Reader>> = { passage, document, fact, answer, work };
  for (const candidate of kind === undefined ? kindsToTry(id) : [kind]) {
    const look = readers[candidate]?.(id, given, servers);
    const parts = await (kind === undefined && look ? findIfAllowed(look) : look);
    if (parts) return fitAnswer(parts, given.token_budget);
  }
  const known = kind === undefined || readers[kind];
  throw invalid(
    'id',
    known ? `names nothing that there is: ${given.id}` : `of a ${kind} is no text to read; evidence and prove take it`,
  );
}

/** @returns undefined where there is nothing by that id */
type Reader = (id: string, given: ReadArguments, servers: Servers) => Promise<AnswerParts | undefined>;

interface Passage {
  chunkId: string;
  corpusId: string;
  docId: string;
  title: string | null;
  version: number;
  newestVersion: number;
  current: boolean;
  headingPath: string[];
  content: string;
  before: { chunkId: string; content: string }[];
  after: { chunkId: string; content: string }[];
  replacedBy: { chunkId: string; content: string } | null;
}

const passage: Reader = async (chunkId, { around }, servers) => {
  const found = await findAt<Passage>(servers, 'api', 'GET /v1/passages/:chunkId', {
    params: { chunkId },
    query: { around },
  });
  if (!found) return undefined;
  const { docId, title, version, current, headingPath, content, before, after, replacedBy } = found;
  const documentId = idOf('document', documentIdOf(found));
  const place = [title ?? docId, ...headingPath.filter((heading) => heading !== title)].join(' > ');
  const replaced = replacedBy ? [`It now reads [${replacedBy.chunkId}]: ${replacedBy.content}`] : [];
  const state = current ? [] : [`NOT CURRENT: the document has version ${found.newestVersion} now.`, ...replaced];
  const texts = [...before, { chunkId, content }, ...after];
  // The passage itself is never left out for one around it.
  const order = [...texts].sort((a, b) => Number(b.chunkId === chunkId) - Number(a.chunkId === chunkId));
  return {
    head: [`${place} (${documentId}, version ${version})`, ...state],
    items: (before.length + after.length > 0 ? order : texts).map((text) => ({
      text: `\n[${text.chunkId}] ${text.content}`,
      data: { id: text.chunkId },
    })),
    itemsAs: 'passages',
    end: () => ({
      data: {
        ...{ document: documentId, version, current },
        ...(before.length > 0 ? { before: before.map((one) => one.chunkId) } : {}),
        ...(replacedBy ? { replaced_by: replacedBy.chunkId } : {}),
      },
    }),
  };
};

interface Document {
  title: string;
  version: number;
  url: string | null;
  updatedAt: string;
  content: string;
}

const document: Reader = async (id, { from }, servers) => {
  const params = readDocumentId(id);
  if (!params) throw invalid('id', 'of a document is corpus/doc');
  const found = await findAt<Document>(servers, 'api', 'GET /v1/documents/:corpusId/:docId', { params: { ...params } });
  if (!found) return undefined;
  const { title, version, url, updatedAt, content } = found;
  const lines = content.slice(from).split(/(?<=\n)/);
  const endOf = ({ count, cutAt }: Shown): number => {
    const whole = lines.slice(0, cutAt === undefined ? count : count - 1).join('');
    return from + whole.length + (cutAt ?? 0);
  };
  return {
    head: [`${title} (${id}, version ${version}, ${updatedAt.slice(0, 10)}${url === null ? '' : `, ${url}`})`],
    items: lines.map((line) => ({ text: line.replace(/\n$/, ''), data: {} })),
    itemsAs: 'lines',
    end: () => ({ data: { id, version, lines: undefined } }),
    goesOn: (shown) => {
      const next = endOf(shown);
      return next < content.length ? { lines: [`More: read again with from ${next}`], data: { next_from: next } } : {};
    },
  };
};

interface Fact {
  fact_id: string;
  entity: string;
  key: string;
  value: string;
  actor: string;
  version: number;
  confidence: number;
  stored_at: string;
  receipt_id: string | null;
  superseded_by?: string;
  source_changed?: true;
  sources?: { id: string; kind: string; state: string; new_id?: string }[];
}

const fact: Reader = async (factId, _, servers) => {
  const found = await findAt<Fact>(servers, 'daemon', 'GET /v1/facts/:factId', { params: { factId } });
  if (!found) return undefined;
  const { entity, key, value, actor, version, stored_at, superseded_by, sources = [], receipt_id } = found;
  const newer = superseded_by === undefined ? [] : [`NOT CURRENT: ${idOf('fact', superseded_by)} replaced it.`];
  return {
    head: [
      `${entity} ${key}, version ${version}, by ${actor} on ${stored_at.slice(0, 10)}`,
      ...newer,
      ...sources.map(lineOfSource),
    ],
    items: [{ text: value, data: { id: idOf('fact', factId) } }],
    itemsAs: 'facts',
    end: () => ({ data: receipt_id === null ? {} : { receipt_id: idOf('receipt', receipt_id) } }),
  };
};

const lineOfSource = ({ id, state, new_id }: { id: string; state: string; new_id?: string }): string =>
  `Source ${id}: ${state === 'holds' ? 'holds' : state.toUpperCase()}${new_id === undefined ? '' : `, now ${new_id}`}`;

interface Answer {
  answerId: string;
  version: number;
  agentId: string;
  answerText: string | null;
  recordedAt: string;
  receiptId: string;
  state: string;
  citations: { chunkId: string; title: string | null; quote: string | null; state: string }[];
  watches: { watchId: string }[];
  proof: { jobId: string; verdict: string } | null;
}

const answer: Reader = async (answerId, _, servers) => {
  const found = await findAt<Answer>(servers, 'api', 'GET /v1/answers/:answerId', { params: { answerId } });
  if (!found) return undefined;
  const { version, agentId, answerText, recordedAt, receiptId, state, citations, watches, proof } = found;
  return {
    head: [
      `Answer ${answerId}, version ${version}, by ${agentId} on ${recordedAt.slice(0, 10)}: it ${state === 'holds' ? 'holds' : `is ${state.toUpperCase()}`}.`,
      ...(proof ? [`Proof ${idOf('proof', proof.jobId)}: ${proof.verdict}`] : []),
      answerText ?? '(its text was not kept)',
    ],
    items: citations.map(({ chunkId, title, quote, state: now }) => ({
      text: `Cites [${chunkId}] ${title ?? ''}${quote === null ? '' : `: "${quote}"`} (${now})`,
      data: { id: chunkId, state: now },
    })),
    itemsAs: 'citations',
    end: () => ({
      data: {
        ...{ id: idOf('answer', answerId), version, state, receipt_id: idOf('receipt', receiptId) },
        ...(watches.length > 0 ? { watches: watches.map(({ watchId }) => idOf('watch', watchId)) } : {}),
      },
    }),
  };
};

interface Work {
  title: string;
  body: string;
  state: string;
  project_id: string;
  assignee_passport: string | null;
  version: number;
}

const work: Reader = async (id, _, servers) => {
  const found = await findAt<Work>(servers, 'daemon', 'GET /v1/work/:id', { params: { id } });
  if (!found) return undefined;
  const { title, body, state, project_id, assignee_passport } = found;
  return {
    head: [`${title} (${project_id}, ${state}${assignee_passport === null ? '' : `, ${assignee_passport}`})`],
    items: body === '' ? [] : [{ text: body, data: {} }],
    itemsAs: 'parts',
    end: () => ({ data: { id: idOf('work', id), state, parts: undefined } }),
  };
};

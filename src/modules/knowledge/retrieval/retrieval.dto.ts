import { Choice, Decimal, Flag, Integer, ListOf, Nested, Text, TextList, Uuid } from '../../../common/fields/fields.js';
import { MAX_AGENT_ID } from '../../../common/fields/shared-members.js';
import { type Fit, FITS } from '../../../search/fit.types.js';
import { PassageLocation } from '../ingest/extraction/passage-location.dto.js';
import { COST_REASONS, LANES, type CostReason, type Lane } from './retrieval.types.js';

const MAX_QUERY_LENGTH = 20_000;
const MAX_ID_LENGTH = 512;

export class RetrievalRequest {
  @Text({
    about: 'What is looked for, in words. Passages that have more of its rarer words rank higher.',
    min: 2,
    max: MAX_QUERY_LENGTH,
    example: 'How many days of leave do I have?',
  })
  query!: string;

  @Text({
    about: "The caller's tenant; another one is refused with 403.",
    optional: true,
    min: 1,
    max: 120,
    example: 'default',
  })
  tenantId?: string;

  @Text({
    about: 'The agent that asks. Its last retrieval is what a proof without a subject is about.',
    min: 1,
    max: MAX_AGENT_ID,
    default: 'default-agent',
  })
  agentId!: string;

  @TextList({
    about: 'Search these corpora only; none searches all. Corpora of other tenants are matched by their name too.',
    max: MAX_ID_LENGTH,
    maxItems: 1000,
    default: [],
  })
  corpusIds!: string[];

  @Integer({ about: 'How many passages to return at most.', min: 1, max: 50, default: 8 })
  limit!: number;

  @Choice({
    about:
      'light: the best passages, found with skipping. verified: also query expansion where it helps, every passage checked against its hash, and a retrieval receipt. audit: every matching passage is scored, with a candidate ledger and a signed receipt.',
    values: LANES,
    default: 'light',
  })
  lane!: Lane;

  @Flag({
    about: 'Whether to search what other tenants share too: the commons and the corpora this tenant is entitled to.',
    default: true,
  })
  includeCommons!: boolean;

  @Flag({
    about:
      'Whether to look for related words too: synonyms and words next to them in WordNet, which count less than those of the query. For questions in other words than those of the documents; in English corpora alone.',
    default: false,
  })
  synonyms!: boolean;
}

export class ScoreParts {
  @Decimal({ about: 'Similarity of meaning, weighted; 0 without an embeddings endpoint.' })
  vector!: number;

  @Decimal({ about: 'BM25 of the words of the query.' })
  lexical!: number;

  @Decimal({ about: '0.05 halved every 180 days of age.' })
  recency!: number;

  @Decimal({ about: 'BM25 of the words that were added to the query: by synonyms, and by the verified lane.' })
  laneWeight!: number;
}

export class RetrievalResult {
  @Text({ about: 'The passage; cite it by this id.' })
  chunkId!: string;

  @Text({ about: 'The document it is from.' })
  docId!: string;

  @Text({ about: 'The tenant that owns it; null for a passage of another tenant.', nullable: true })
  tenantId!: string | null;

  @Text({ about: 'The corpus it is from.' })
  corpusId!: string;

  @Text({ about: 'Its text.' })
  content!: string;

  @Text({ about: "The document's title.", nullable: true })
  title!: string | null;

  @Text({ about: 'Where the document can be read.', nullable: true })
  url!: string | null;

  @Decimal({
    about: 'What results are ordered by: the sum of scoreComponents. Equal scores are in the order of chunkId.',
  })
  score!: number;

  @Nested({ about: 'score = ((lexical + vector) + recency) + laneWeight, exactly.', type: () => ScoreParts })
  scoreComponents!: ScoreParts;

  @Choice({ about: "tenant: the caller's own. commons: shared by another tenant.", values: ['tenant', 'commons'] })
  source!: 'tenant' | 'commons';

  @Nested({
    about: 'Where in its file it stands; only of a document that came as a file which has such places.',
    type: () => PassageLocation,
    optional: true,
  })
  location?: PassageLocation;
}

export class RetrievalMeta {
  @Choice({
    about:
      'Whether the results answer the query. none: nothing that was searched does, by its words; look elsewhere, or ask again in other words. weak: perhaps; read before you rely on them. strong: the first results speak of what was asked. How often it is right: docs/benchmarks.md.',
    values: FITS,
  })
  fit!: Fit;

  @Text({
    about:
      'Why no word of the query could be found: it has stop words alone, no passage has any of its words, or there was nothing to search. Absent otherwise.',
    optional: true,
  })
  note?: string;

  @Text({ about: 'The lane that was used.' })
  lane!: string;

  @Text({ about: 'none, exact or pgvector; unavailable when the embeddings endpoint did not answer in time.' })
  vectorBackend!: string;

  @Decimal({ about: 'How long the server worked on the request, in milliseconds.' })
  tookMs!: number;

  @Flag({ about: 'Whether the order is that of scoring every passage.' })
  exact!: boolean;

  @Integer({ about: 'Passages that were scored in full.', min: 0 })
  scanned!: number;

  @Flag({ about: 'Whether more passages match than were returned.' })
  truncated!: boolean;

  @Uuid({ about: 'verified, audit: names this retrieval.', optional: true })
  retrievalId?: string;

  @Text({ about: 'verified, audit: the retrieval receipt, blake3:<hex>.', optional: true })
  retrievalReceiptId?: string;

  @Uuid({ about: 'audit: the signed receipt over the results and the candidate ledger.', optional: true })
  receiptId?: string;

  @Integer({ about: 'audit: candidates in the ledger.', optional: true, min: 0 })
  ledgerCandidates?: number;

  @TextList({
    about:
      'verified, and with synonyms: the words that were added to the query, as they are indexed; none where there were none to add.',
    optional: true,
  })
  expandedWith?: string[];
}

export class RetrievalResponse {
  @ListOf({ about: 'The passages, best first.', type: () => RetrievalResult })
  results!: RetrievalResult[];

  @Integer({ about: 'What the request costs, in credits.', min: 0 })
  credit_cost!: number;

  @Choice({ about: 'Why it costs that: whether the commons were searched, and the tier.', values: COST_REASONS })
  cost_reason!: CostReason;

  @Nested({ about: 'How the results were found.', type: () => RetrievalMeta })
  meta!: RetrievalMeta;
}

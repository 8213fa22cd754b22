import type { Digest } from '../../../evidence/digest.js';
import type { Shareability } from '../ingest/analysis/analysis.types.js';
import type { PassagePlace } from '../ingest/extraction/locations.types.js';
import type { RecordedRetrieval } from '../retrieval/retrieval.types.js';

/** A passage as the tenant may see it now: its own, shared with everyone, or shared with it. */
export interface VisibleChunk {
  chunkId: string;
  /** The tenant that ingested it; never shown to another one. */
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  docVersion: number;
  title: string | null;
  url: string | null;
  content: string;
  contentHash: Digest;
  /** Whether the document's newest version still holds it. */
  current: boolean;
  /** Where in a file it stands; null where it came as text. */
  location?: PassagePlace | null;
  /** Who may see it, other than its owner; null of a citation that was recorded before this was kept. */
  shareability: Shareability | null;
}

/** One citation as it was asked for. Offsets are UTF-16 code units of the chunk's text; `end` is exclusive. */
export interface CitationRequest {
  chunkId: string;
  quote?: string;
  start?: number;
  end?: number;
  note?: string;
}

/** One citation, resolved: start, end and quote are all there, or all null when the whole chunk is cited. */
export interface ResolvedCitation {
  chunk: VisibleChunk;
  start: number | null;
  end: number | null;
  quote: string | null;
  note: string | null;
}

/** A recorded retrieval and the receipts it left. */
export interface RecordedSearch extends Pick<RecordedRetrieval, 'retrievalId' | 'lane' | 'request' | 'results'> {
  /** `blake3:<hex>` of the retrieval receipt and UUID of the signed one; null where the lane left none. */
  receiptId: string | null;
  executionReceiptId: string | null;
}

/** One version of an answer. */
export interface Answer {
  answerId: string;
  version: number;
  agentId: string;
  answerText: string | null;
  /** The caller's own members. */
  metadata: Record<string, unknown> | null;
  receiptId: string;
  recordedBy: string;
  recordedAt: Date;
  /** The search it rests on, as it was when the answer was recorded. */
  retrieval: RecordedSearch | null;
}

/** How far the evidence of a version holds. */
export interface Attestation {
  /** The result of checking the receipt again: OK, or the first thing that is wrong. */
  receiptCheck: string;
  /** Whether the rows are what the receipt attests. */
  isAsAttested: boolean;
}

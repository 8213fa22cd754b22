/**
 * What the demo and the benchmarks read of the API's answers (tenant-api.md 2.6 to 2.8); the answers have more members.
 */

export type Lane = 'light' | 'verified' | 'audit';
export const LANES = ['light', 'verified', 'audit'] as const satisfies Lane[];

/** A document to ingest. */
export interface DocumentInput {
  corpusId: string;
  docId: string;
  title: string;
  content: string;
  url: string;
  shareability?: string;
  metadata?: Record<string, unknown>;
}

/** A document that is searchable, as GET /v1/documents lists it. */
interface ListedDocument {
  docId: string;
  url: string | null;
  shareability: string;
  metadata: Record<string, unknown> | null;
}

export interface DocumentPage {
  documents: ListedDocument[];
  next_cursor: string | null;
}

export interface IngestAccepted {
  ingestId: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
}

export interface IngestStatus extends IngestAccepted {
  error?: string | null;
}

export interface RetrievedPassage {
  chunkId: string;
  docId: string;
  corpusId: string;
  content: string;
  title: string | null;
  score: number;
  scoreComponents: { lexical: number; vector: number; recency: number; laneWeight: number };
  source: 'tenant' | 'commons';
  /** Of a document that came as a file. */
  location?: FoundAt;
}

/** Where in its file a passage stands, and where it ends. */
export interface FoundAt {
  page?: number;
  sheet?: string;
  cells?: string;
  slide?: number;
  part?: string;
  to?: Omit<FoundAt, 'to'>;
}

export interface RetrievalReply {
  results: RetrievedPassage[];
  credit_cost: number;
  cost_reason: string;
  meta: { fit: string; note?: string; lane: Lane; vectorBackend: string; tookMs: number };
}

export interface CitationReply {
  answerId: string;
  version: number;
  receiptId: string;
  citationCount: number;
}

export interface ProofJobReply {
  ok: boolean;
  jobId: string;
  status: 'queued' | 'running' | 'completed' | 'failed';
  verdict: 'pending' | 'holds' | 'unknown' | 'drifted' | 'unavailable' | 'broken';
  mode: Lane;
  checks: { name: string; ok: boolean; detail: string }[];
  receiptId: string | null;
  error: string | null;
}

/** An answer that was recorded, with the proof that was ordered with it. */
export interface AnswerReply extends CitationReply {
  proof: ProofJobReply;
}

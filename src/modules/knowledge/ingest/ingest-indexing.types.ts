import type { AnalysedDocument, AnalysisInput } from './analysis/analysis.types.js';
import type { ChunkedVersion, ChunkShard } from './chunks.store.js';

/** An accepted version that waits to be indexed, and where its document stands. */
export interface PendingVersion extends ChunkedVersion {
  readonly ingestId: string;
  readonly content: string;
  readonly contentType: string | null;
  /** The version in search; 0 when there is none. */
  readonly currentVersion: number;
  /** Versions up to this one were accepted before the document was deleted. */
  readonly withdrawnVersion: number;
}

/** Versions that go into one segment together. */
export interface ShardBatch {
  readonly shard: ChunkShard;
  readonly versions: readonly PendingVersion[];
  readonly inputs: readonly AnalysisInput[];
}

export interface AnalysedVersion {
  readonly version: PendingVersion;
  readonly analysed: AnalysedDocument;
}

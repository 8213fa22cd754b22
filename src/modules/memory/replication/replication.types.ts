/** The header of a sealed segment, docs/formats/segments.md. */
export interface SegmentHead {
  readonly tenant_id: string;
  readonly corpus_id: string;
  readonly segment_seq: number;
  readonly semantic_profile: string;
  readonly sealed_at: string;
  readonly frame_count: number;
}

/** A segment whose bytes were read. */
export interface ReadSegment {
  readonly header: SegmentHead;
  readonly frames: Buffer;
  /** BLAKE3 of the frames. */
  readonly digest: Buffer;
}

/** One that is kept, of this node or another. */
export interface KeptSegment {
  readonly segment_seq: number;
  readonly frames: Buffer;
  readonly digest: Buffer;
  /** The digest of the one before, also of one that is erased; null of the first. */
  readonly previous: Buffer | null;
  /** The number of the one before that is not erased; 0 of the first. */
  readonly after: number;
}

/** Where a node's segments end that are kept. */
export interface Kept {
  readonly segmentSeq: number;
  readonly digest: Buffer;
}

export interface ListedSegment {
  readonly segment_seq: number;
  readonly corpus_id: string;
  readonly frame_count: number;
  readonly bytes: number;
  readonly digest: Buffer;
  readonly sealed_at: Date;
}

export interface ReplicaOfNode {
  readonly node_id: string;
  readonly segments: number;
  readonly bytes: number;
  readonly last_seq: number;
  readonly last_digest: Buffer;
  readonly last_received_at: Date;
}

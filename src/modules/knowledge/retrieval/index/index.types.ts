import type { Language } from '../../../../search/languages.js';

type Shareability = 'owner_only' | 'entitled_only' | 'public_safe';

/** The part of a corpus that is shared alike and analysed alike; segments belong to one shard. */
export interface ShardKey {
  corpusId: string;
  shareability: Shareability;
  language: Language;
}

/** A shard as one snapshot saw it. */
export interface ShardSnapshot extends ShardKey {
  shardId: string;
  /** The tenant that owns it. */
  tenantId: string;
  /** Counts the commits that changed it. */
  generation: number;
  segments: SegmentRef[];
  /** Withdrawn chunks by the generation of their withdrawal, latest first. */
  tombstones: Tombstone[];
}

export interface SegmentRef {
  segmentId: string;
  /** Withdrawals up to this generation are already applied in it. */
  sequence: number;
  chunkCount: number;
}

export interface Tombstone {
  chunkId: string;
  generation: number;
}

/** Everything one tenant may search, at one moment. */
export interface IndexSnapshot {
  /** Names the moment: `<shard>:<generation>` of every visible shard, joined by commas. */
  state: string;
  shards: ShardSnapshot[];
}

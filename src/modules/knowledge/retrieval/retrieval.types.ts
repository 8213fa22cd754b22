import type { Digest } from '../../../evidence/digest.js';
import type { PassagePlace } from '../ingest/extraction/locations.types.js';

export const LANES = ['light', 'verified', 'audit'] as const;
/** How thoroughly a retrieval is done (decision D18). */
export type Lane = (typeof LANES)[number];

export const COST_REASONS = ['tenant_only_query', 'paid_tier_commons_query', 'free_tier_commons_rate'] as const;
export type CostReason = (typeof COST_REASONS)[number];

/** What is looked for, and where. */
export interface Search {
  query: string;
  /** None: every corpus. */
  corpusIds: readonly string[];
  includeCommons: boolean;
  limit: number;
  /** Whether to look for related words too; what was recorded without it did not. */
  synonyms?: boolean;
}

/** `score` is vector + lexical + recency + laneWeight, added as (((lexical + vector) + recency) + laneWeight). */
interface ScoreComponents {
  vector: number;
  lexical: number;
  recency: number;
  laneWeight: number;
}

/** A passage that was found. */
export interface Passage {
  chunkId: string;
  /** The tenant that owns it. */
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  version: number;
  title: string | null;
  url: string | null;
  content: string;
  /** BLAKE3-256 of the content as UTF-8, 32 bytes. */
  contentHash: Uint8Array;
  /** Where in a file it stands; null where it came as text. */
  location?: PassagePlace | null;
  score: number;
  scoreComponents: ScoreComponents;
}

/** A retrieval as it is remembered: enough to repeat it and to see whether its passages still stand. */
export interface RecordedRetrieval {
  retrievalId: string;
  agentId: string;
  lane: Lane;
  request: Search & { day: number };
  results: RecordedPassage[];
  createdAt: Date;
}

export interface RecordedPassage {
  chunkId: string;
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  version: number;
  /** `blake3:<hex>` */
  contentHash: string;
  score: number;
}

/** What an audit scored (decision D18). */
export interface Ledger {
  candidateCount: number;
  /** Over every candidate: {@link Candidates.digest}. */
  candidatesDigest: Digest;
  /** By language: what the scores were computed from. */
  statistics: LedgerStatistics[];
  /** How many candidates are kept in full: the best, at most LEDGER_CANDIDATES. */
  keptCount: number;
  /** Of each of them, best first: chunk id, score, vector, lexical, recency, lane weight, with TABs between, and LF. */
  lines: string;
  /** `sha256:<hex>` of the lines in UTF-8. */
  linesDigest: Digest;
}

/** A ledger as it is read again. */
export interface StoredLedger {
  candidateCount: number;
  candidatesDigest: Digest;
  /** Those that are kept in full, best first. */
  candidates: { chunkId: string; score: number }[];
  /** Of what is kept, made again; undefined of a ledger from before there was such a digest. */
  linesDigest?: Digest;
}

interface LedgerStatistics {
  language: string;
  averageLength: number;
  /** Each term with its weight: qtf * idf * (k1 + 1). */
  terms: { term: string; weight: number; isExpansion: boolean }[];
}

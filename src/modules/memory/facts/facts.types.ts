import type { BoundFact } from '../../../evidence/fact-leaf.js';
import type { Digest } from '../../../evidence/digest.js';
import type { FactSource } from './fact-sources.types.js';

export const HORIZON_CLASSES = ['ephemeral', 'session', 'durable', 'permanent'] as const;
/** How fast confidence in a fact fades (D36). */
export type HorizonClass = (typeof HORIZON_CLASSES)[number];

/** Half-lives of confidence, in days (D36). */
export const HALF_LIFE_DAYS: Readonly<Record<HorizonClass, number>> = {
  ephemeral: 30,
  session: 180,
  durable: Infinity,
  permanent: Infinity,
};

/**
 * Column `visibility`: private facts are visible to their owner and to admin scopes, reserved ones only if they are
 * also asked for explicitly (D36).
 */
export const VISIBILITY = { public: 0, private: 1, reserved: 2 } as const;
export type Visibility = (typeof VISIBILITY)[keyof typeof VISIBILITY];

/**
 * One record of table `fact`. A chain (tenant, owner, entity, key) is append-only: a record changes only by being
 * superseded or deleted.
 * - current: `superseded_at` and `deleted_at` are null, and it is no tombstone;
 * - of ingest time t (as_of_unix_ms): stored_at <= t, not deleted by t, and current then unless superseded by t;
 * - of valid time t (as_of): coalesce(valid_from, stored_at) <= t < coalesce(ends_at, forever), and the newest version
 *   of its chain of which that holds.
 */
export interface FactRow {
  seq: string;
  fact_id: string;
  version: number;
  visibility: Visibility;
  entity: string;
  key: string;
  value: string;
  /** Whether `value` is only its beginning. */
  value_truncated: boolean;
  actor: string;
  /** Whether the writer sent the actor, and its credential says another. */
  actor_claimed: boolean;
  /** The principal of the credential; null in rows of a release before. */
  written_by: string | null;
  confidence: number;
  horizon_class: HorizonClass;
  tokens: number;
  tenant_hash: string | null;
  source_receipt: string | null;
  stored_at: Date;
  valid_from: Date | null;
  valid_to: Date | null;
  superseded_by: string | null;
  /** The receipt of its batch; null in rows of a release before. */
  receipt_id: string | null;
  /** What its leaf has of its sources; null of a fact that names none. */
  sources_digest: string | null;
}

/** A fact to be stored, everything decided but what only the database knows: version and time. */
export interface FactDraft {
  fact_id: string;
  /** '' for public ones, else the principal that will see it. */
  owner: string;
  visibility: Visibility;
  entity: string;
  key: string;
  value: string;
  actor: string;
  actor_claimed: boolean;
  written_by: string;
  confidence: number;
  horizon_class: HorizonClass;
  tokens: number;
  tenant_hash?: string | undefined;
  source_receipt?: string | undefined;
  valid_from?: string | undefined;
  valid_to?: string | undefined;
  tombstone?: true;
  /** What it was learnt from, as the request names it. */
  source_ids?: readonly string[] | undefined;
  /** The same once it is found, and the digest of it that the receipt binds. */
  sources?: readonly FactSource[];
  sources_digest?: string;
  /** The fact that has to be current for this one to be stored. */
  expected?: string | undefined;
  /** Where it stands in the request, for what is wrong with it: `body[3]`. */
  path: string;
}

/** Who writes: the actor of the receipt. */
export interface FactWriter {
  principal: string;
  /** How the principal was authenticated. */
  authType: string;
  /** The agent's session that the request named. */
  agentSession?: string | undefined;
  /** Its passport is registered without a proven key: the receipt says so (D71). */
  isUnattested?: boolean | undefined;
  /** Whether it sees the private facts of others. */
  seesAll?: boolean | undefined;
  /** Where facts of several requests are stored together: what each session wrote. */
  sessions?: readonly SessionFacts[];
}

/** Facts that a session writes. */
export interface SessionFacts {
  session: string;
  /** The principal. */
  actor: string;
  facts: readonly string[];
}

/** What is known of a draft once it is stored. */
export interface StoredFact {
  fact_id: string;
  version: number;
  stored_at: Date;
  confidence: number;
  receipt_id: string;
  sources?: readonly FactSource[] | undefined;
  replaces?: ReplacedFact | undefined;
}

/** The fact that was current, as far as a reply shows it. */
export interface ReplacedFact {
  fact_id: string;
  value: string;
  value_truncated?: true;
  version: number;
  stored_at: string;
}

/** The identity that a read is made as. */
export interface FactReader {
  tenantId: string;
  /** Whose private facts are visible in addition to the public ones: ownerOf of the caller's principal. */
  principal: string;
  /** With an admin scope everybody's. */
  seesAll: boolean;
}

/** What GET /v1/facts, entities and aggregates choose by. */
export interface FactFilter {
  entity?: string | undefined;
  entityPrefix?: string | undefined;
  key?: string | undefined;
  minEffectiveConfidence?: number | undefined;
  /** Valid time, RFC 3339; absent: the current facts. */
  asOf?: string | undefined;
}

/** What a search answers that found nothing. */
export const FALLBACKS = ['none', 'newest'] as const;
export type Fallback = (typeof FALLBACKS)[number];

/** A fact that was stored next to another. */
export interface FactNeighbour {
  /** The other: its seq. */
  of: string;
  seq: string;
  /** 1 for the first after it, -1 for the first before it. */
  distance: number;
}

/** Where a list goes on: after the record with this time (Unix milliseconds) and seq. */
export interface FactPlace {
  storedAtMs: number;
  seq: string;
}

export interface FactListFilter {
  includeReserved: boolean;
  includeSuperseded: boolean;
  entityPrefix?: string | undefined;
  q?: string | undefined;
  /** Ingest time, Unix milliseconds. */
  asOfMs?: number | undefined;
}

/** How many records the list has, under its two flags, and how many are stored whoever may see them. */
export interface FactListCensus {
  current: number;
  currentWithReserved: number;
  /** Of all versions, reserved ones too. */
  versions: number;
  nondeleted: number;
}

export interface FactListPage {
  rows: FactRow[];
  totalVisible: number;
  totalNondeleted: number;
}

/** A record of table `fact` as its batch binds it. */
export interface BoundRow {
  seq: string;
  fact_id: string;
  owner: string;
  entity: string;
  key: string;
  version: number;
  value: string;
  tombstone: boolean;
  actor: string;
  actor_claimed: boolean;
  written_by: string | null;
  confidence: number;
  horizon_class: string;
  tenant_hash: string | null;
  source_receipt: string | null;
  stored_at: Date;
  valid_from: Date | null;
  valid_to: Date | null;
  receipt_id: string | null;
  leaf_index: number | null;
  sources_digest: string | null;
}

/** A fact, and what leads to the receipt that binds it: null for facts of a release before. */
export interface FactEvidence {
  readonly fact: BoundFact;
  readonly storedAt: Date;
  readonly binding: { readonly receiptId: string; readonly index: number; readonly path: readonly Digest[] } | null;
}

/** Characters of an entity and of a key at most. */
export const MAX_ENTITY = 512;
export const MAX_KEY = 256;

/** What a tenant has of a fact that is to be stored. */
export interface FactMatch {
  /** Whether there is a fact of this entity and key, which it would supersede. */
  readonly isHeld: boolean;
  /** Whether the latest one has the same value. */
  readonly isLatest: boolean;
  /** Whether an earlier one has the same value and begins at the same time. */
  readonly isEarlier: boolean;
}

import { encodeCanonical } from './cbor.js';
import { sha256Digest } from './digest.js';
import { leafHash } from './merkle.js';

/** What a receipt of the kind `fact.batch` binds of one fact. docs/formats/receipts.md, "Batches of facts". */
export interface BoundFact {
  /** UUID with 74 random bits: what keeps the leaf from being guessed where members are withheld. */
  readonly fact_id: string;
  /** The principal that alone sees it in addition to admin scopes; '' where everybody of the tenant does. */
  readonly owner: string;
  readonly entity: string;
  readonly key: string;
  /** Counts the records of this owner, entity and key from 1. */
  readonly version: number;
  /** '' of a tombstone. */
  readonly value: string;
  /** Whether it is a deletion: it ends all versions before it. */
  readonly tombstone: boolean;
  readonly actor: string;
  /** Whether `actor` is what the writer sent, and not what its credential says. */
  readonly actor_claimed: boolean;
  /** The principal of the credential. */
  readonly written_by: string;
  /** A 32-bit float. */
  readonly confidence: number;
  readonly horizon_class: string;
  readonly tenant_hash: string | null;
  readonly source_receipt: string | null;
  /** RFC 3339, UTC, milliseconds; null where not said. */
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  /** Only of a fact that names sources: `sourcesDigest` of them. */
  readonly sources_digest?: string | undefined;
}

/** A source of a fact, and what stood there when the fact was stored. */
export interface BoundSource {
  readonly kind: string;
  readonly id: string;
  readonly version: number | null;
  readonly digest: string | null;
}

/** SHA-256 over the canonical CBOR of the list of the sources, each the list of its four members. */
export const sourcesDigest = (sources: readonly BoundSource[]): string =>
  sha256Digest(encodeCanonical(sources.map(({ kind, id, version, digest }) => [kind, id, version, digest])));

/** The members in the order in which the leaf has them. */
export const BOUND_MEMBERS = [
  'fact_id',
  'owner',
  'entity',
  'key',
  'version',
  'value',
  'tombstone',
  'actor',
  'actor_claimed',
  'written_by',
  'confidence',
  'horizon_class',
  'tenant_hash',
  'source_receipt',
  'valid_from',
  'valid_to',
] as const satisfies readonly (keyof BoundFact)[];

export const FACT_BATCH = 'fact.batch';

/**
 * The leaf of a fact in the tree of its batch: RFC 6962 over the canonical CBOR of the list of its members. That of a
 * fact with sources has one member more, so that those of all others stay as they are.
 */
export const factLeaf = (fact: BoundFact): Uint8Array => {
  const members = BOUND_MEMBERS.map((name) => fact[name]);
  return leafHash(encodeCanonical(fact.sources_digest === undefined ? members : [...members, fact.sources_digest]));
};

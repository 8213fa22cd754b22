import type { VerifyingKey } from '../../../evidence/signing-key.js';
import type { Collection } from '../sync/sync.types.js';

/** What a peer may do with what is open to it. */
export const PEER_SCOPES = ['facts:read', 'facts:write'] as const;
export type PeerScope = (typeof PEER_SCOPES)[number];

/**
 * Which way memory goes, as this daemon sees it: it takes from the peer (pull), gives to it (push), or both, whoever of
 * the two asks.
 */
export const DIRECTIONS = ['pull', 'push', 'both'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** As a list of prefixes: every entity. */
export const ALL_ENTITIES = '*';

/** What a row of a peer or a delegation opens. */
export interface PeerRights {
  /** Names of entities that are open begin with one of them. */
  readonly prefixes: readonly string[] | 'all';
  readonly collections: ReadonlySet<Collection> | 'all';
  readonly scopes: ReadonlySet<PeerScope>;
}

/** Where requests to a peer go, and who answers there. */
export interface PeerTarget {
  readonly tenantId: string;
  readonly peerId: string;
  /** Without a slash at its end. */
  readonly url: string;
  /** Delegations under which this daemon asks, in the order of their chain, separated by commas. */
  readonly delegation?: string | undefined;
}

/** One with a row, which says by which key it signs. */
export interface KnownTarget extends PeerTarget {
  readonly key: VerifyingKey;
}

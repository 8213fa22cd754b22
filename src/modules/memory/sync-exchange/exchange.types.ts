import type {
  CollectionDiff,
  CollectionPage,
  CollectionQuery,
  SyncManifest,
  SyncRecord,
} from '../sync/sync-wire.types.js';
import type { Verdict } from '../sync/sync-record.types.js';
import type { Collection, SyncReach } from '../sync/sync.types.js';

/** From the peer to this daemon, or from this daemon to the peer; this daemon asks in either case. */
export const WAYS = ['pull', 'push'] as const;
export type Way = (typeof WAYS)[number];

/** Which exchange is meant. */
export interface ExchangeName {
  readonly tenantId: string;
  readonly peerId: string;
  readonly way: Way;
}

/** A record that was not taken as it came. */
export interface Unapplied {
  readonly collection: Collection;
  readonly id: readonly string[];
  readonly digest: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
}

export interface Taken {
  readonly counts: readonly { readonly verdict: Verdict; readonly count: number }[];
  readonly unapplied: readonly Unapplied[];
}

/** The digests of the versions that one end has of a record. */
export interface Known {
  readonly id: string[];
  readonly digests: string[];
}

export type Manifest = Pick<SyncManifest, 'origin' | 'membership_epoch' | 'position' | 'checkpoint' | 'role_grants'> & {
  readonly collections: readonly { name: Collection; count: number; position: number; root: string }[];
};
export type Page = Pick<CollectionPage, 'next_cursor' | 'position' | 'page_digest' | 'root_so_far'> & {
  readonly items: SyncRecord[];
};
export type Diff = Pick<CollectionDiff, 'next_item'> & {
  readonly missing: SyncRecord[];
  readonly unknown: readonly Known[];
};

/** A tenant's memory as an exchange sees it: that of this daemon, or that of a peer. */
export interface SyncEnd {
  /** How many requests were sent, those for nonces apart. */
  readonly requests: number;
  readManifest(): Promise<Manifest>;
  readPage(collection: Collection, query: CollectionQuery): Promise<Page>;
  /** @param withContent of what the caller lacks */
  compare(collection: Collection, items: readonly Known[], withContent: boolean): Promise<Diff>;
  /** @param save once all is taken; in the same transaction where it is taken here */
  take(records: readonly SyncRecord[], save: () => Promise<void>): Promise<Taken>;
}

/** What is open between the two: what this daemon opens to the peer and the peer to it. */
export type ExchangeReach = Pick<SyncReach, 'prefixes' | 'collections'>;

/**
 * The roots are the same; the target has all of the source, and more or within another reach; the target lacks
 * something.
 */
export type CollectionState = 'equal' | 'complete' | 'unequal';

export interface CollectionResult {
  readonly collection: Collection;
  readonly state: CollectionState;
  readonly source_root: string;
  readonly target_root: string;
  readonly source_count: number;
  readonly target_count: number;
}

/** How the log of the peer stands: looked at now, as it was seen before, or not watched. */
export type LogLook = 'seen' | 'unchanged' | 'unpinned';

/** What an exchange came to, as `svc sync pull --json` prints it. */
export interface Exchanged {
  readonly schema: 'svc.sync_exchange/1';
  readonly tenant_id: string;
  readonly peer_id: string;
  readonly direction: Way;
  readonly state: CollectionState;
  readonly log: LogLook;
  readonly collections: readonly CollectionResult[];
  /** By verdict. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first hundred. */
  readonly unapplied: readonly Unapplied[];
  readonly unapplied_count: number;
  /** To the peer, those for nonces apart. */
  readonly requests: number;
  readonly receipt_id: string | null;
  readonly started_at: string;
  readonly ended_at: string;
}

/** Over all versions of a collection, or those that changed after a position. */
export type Pass = 'full' | 'delta';

/** How it goes. */
export interface Progress {
  readonly collection: Collection;
  readonly pass: Pass;
  /** Records that were looked at in this pass. */
  readonly done: number;
  /** How many there are in the source. */
  readonly of: number;
}

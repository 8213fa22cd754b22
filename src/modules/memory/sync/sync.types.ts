/** What is synchronised, in the order in which it travels: what keeps and what removes comes first. */
export const COLLECTIONS = ['holds', 'tombstones', 'entities', 'edges', 'facts', 'relations', 'cases'] as const;
export type Collection = (typeof COLLECTIONS)[number];

/** What one who calls the sync routes reaches of a tenant: all of it, or what a peer's row and delegation leave. */
export interface SyncReach {
  /** Undefined for a caller with scopes of the tenant itself. */
  readonly peerId: string | undefined;
  /** Names of entities that may be read and written begin with one of them. */
  readonly prefixes: readonly string[] | 'all';
  readonly collections: ReadonlySet<Collection> | 'all';
  readonly mayRead: boolean;
  readonly mayWrite: boolean;
  /** Place and release legal holds; of a peer its collections say it. */
  readonly mayHold: boolean;
}

export const FULL_REACH: SyncReach = {
  peerId: undefined,
  prefixes: 'all',
  collections: 'all',
  mayRead: true,
  mayWrite: true,
  mayHold: true,
};

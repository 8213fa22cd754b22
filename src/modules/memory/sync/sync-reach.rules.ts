import { type Collection, COLLECTIONS, type SyncReach } from './sync.types.js';

/** The collections that one reaches, in the order of travel. Deletions are those of what one reaches. */
export const reachedCollections = ({ collections }: SyncReach): Collection[] =>
  COLLECTIONS.filter((name) => collections === 'all' || collections.has(name));

/** What one may do, as manifests say it. */
export const grantsOf = ({ mayRead, mayWrite }: SyncReach): string[] => [
  ...(mayRead ? ['read'] : []),
  ...(mayWrite ? ['write'] : []),
];

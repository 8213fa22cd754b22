import { hasScope, type Identity } from '../../../common/bearer-auth/daemon-caller.js';
import type { PeerRight } from '../../../common/contract/contract.js';
import { MissingScope } from '../../../common/problem/daemon-problems.js';
import { PeerDirection } from '../../../common/problem/peer-problems.js';
import { COLLECTIONS, type Collection, type SyncReach } from '../sync/sync.types.js';
import { ALL_ENTITIES, type Direction, PEER_SCOPES, type PeerRights, type PeerScope } from './peers.types.js';

/** Rights as they stand in a row, on the wire or in a delegation. */
export interface ListedRights {
  readonly entity_prefixes: readonly string[];
  /** Null: all. */
  readonly collections: readonly string[] | null;
  readonly scopes: readonly string[];
}

export const rightsOf = ({ entity_prefixes, collections, scopes }: ListedRights): PeerRights => ({
  prefixes: entity_prefixes.includes(ALL_ENTITIES) ? 'all' : entity_prefixes,
  collections: collections === null ? 'all' : new Set(COLLECTIONS.filter((name) => collections.includes(name))),
  scopes: new Set(PEER_SCOPES.filter((scope) => scopes.includes(scope))),
});

/** What is wrong with a list of prefixes; `*` stands alone. */
export function faultOfPrefixes(prefixes: readonly string[]): string | undefined {
  if (prefixes.includes('')) return 'must not hold an empty text; ["*"] opens all entities';
  if (prefixes.includes(ALL_ENTITIES) && prefixes.length > 1)
    return 'must hold nothing next to "*", which opens all entities';
  return undefined;
}

/** Which member of the second is wider than the first, if any is. */
export function findWider(given: PeerRights, asked: PeerRights): keyof PeerRights | undefined {
  if (!coversPrefixes(given.prefixes, asked.prefixes)) return 'prefixes';
  if (!coversAll(given.collections, asked.collections)) return 'collections';
  return coversAll(given.scopes, asked.scopes) ? undefined : 'scopes';
}

function coversPrefixes(given: PeerRights['prefixes'], asked: PeerRights['prefixes']): boolean {
  if (given === 'all') return true;
  return asked !== 'all' && asked.every((prefix) => given.some((one) => prefix.startsWith(one)));
}

function coversAll<T>(given: ReadonlySet<T> | 'all', asked: ReadonlySet<T> | 'all'): boolean {
  if (given === 'all') return true;
  return asked !== 'all' && [...asked].every((one) => given.has(one));
}

/** The peer takes what this daemon gives (push), and gives what it takes (pull). */
const ALLOWED: Record<Direction, readonly PeerScope[]> = {
  push: ['facts:read'],
  pull: ['facts:write'],
  both: PEER_SCOPES,
};

const allows = (direction: Direction, scope: PeerScope): boolean => ALLOWED[direction].includes(scope);

/** What a peer reaches with rights that it has, or were delegated by it. */
export function reachOf(
  peerId: string,
  { prefixes, collections, scopes }: PeerRights,
  direction: Direction,
): SyncReach {
  const may = (scope: PeerScope): boolean => scopes.has(scope) && allows(direction, scope);
  const rights = { mayRead: may('facts:read'), mayWrite: may('facts:write'), mayHold: may('facts:write') };
  return { peerId, prefixes, collections, ...rights };
}

/** What is open, as it is written on the wire. */
export const listed = ({ prefixes, collections }: Pick<PeerRights, 'prefixes' | 'collections'>) => ({
  entity_prefixes: prefixes === 'all' ? [ALL_ENTITIES] : [...prefixes],
  collections: COLLECTIONS.filter((name: Collection) => collections === 'all' || collections.has(name)),
});

/**
 * Whether a peer may do what it asks for.
 * @throws MissingScope where its scopes do not suffice, PeerDirection where the direction does not
 */
export function checkRight(
  right: PeerRight,
  reach: SyncReach,
  caller: Pick<Identity, 'scopes'>,
  direction: Direction,
): void {
  if (right === 'either' || (right === 'reads' ? reach.mayRead : reach.mayWrite)) return;
  const scope = right === 'reads' ? 'facts:read' : 'facts:write';
  if (!hasScope(caller, scope))
    throw new MissingScope({ missingAnyScope: [scope] }, `The peer, or its delegation, has no scope ${scope}`);
  throw new PeerDirection(
    { peer_id: reach.peerId ?? '', direction },
    `The direction of this peer is ${direction}: this daemon ${direction === 'pull' ? 'takes from it, and gives it nothing' : 'gives to it, and takes nothing'}`,
  );
}

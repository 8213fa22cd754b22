import type { Query } from '../tenancy/cross-tenant.js';
import { logLeafHash, type RecordType } from '../../evidence/log-entry.js';
import { rootOfRow, TILE_WIDTH, tileWidth } from '../../evidence/tiles.js';
import { LogReader } from './log-reader.js';

/** A tile of the log: the next one that is to be looked at. */
export interface TilePlace {
  readonly level: number;
  readonly index: number;
}
export const FIRST_TILE: TilePlace = { level: 0, index: 0 };

export interface CheckedTile {
  /** A sentence; undefined where the tile is as it has to be. */
  readonly fault: string | undefined;
  /** Hashes that were looked at. */
  readonly hashes: number;
  /** undefined after the last tile. */
  readonly next: TilePlace | undefined;
}

/**
 * One tile of the log as it is now: its hashes are those of its leaves, or the roots of the tiles below (C2SP
 * tlog-tiles); those of level 0 are compared with the leaves, and a full tile with its place in the tile above.
 */
export async function checkTile(query: Query, place: TilePlace): Promise<CheckedTile> {
  const [log] = await query<{ size: string }>('select coalesce(max(leaf_index) + 1, 0) as size from log_leaf');
  const size = Number(log!.size);
  const width = tileWidth(place, size);
  if (width === 0)
    return { fault: undefined, hashes: 0, next: place.index > 0 ? { level: place.level + 1, index: 0 } : undefined };
  const above = { level: place.level + 1, index: Math.floor(place.index / TILE_WIDTH) };
  const tiles = await new LogReader(query).findTiles([place, above]);
  const found = tiles.find(place);
  const fault =
    found?.length !== width * HASH_BYTES
      ? 'has not as many hashes as the log has leaves'
      : ((await differsFromLeaves(query, place, found)) ?? differsAbove(place, found, tiles.find(above)));
  const next = { level: place.level, index: place.index + 1 };
  return { fault: fault && `tile ${place.level}/${place.index} of the log ${fault}`, hashes: width, next };
}

async function differsFromLeaves(query: Query, place: TilePlace, hashes: Uint8Array): Promise<string | undefined> {
  if (place.level > 0) return undefined;
  const leaves = await query<{ record_type: RecordType; record_digest: Buffer }>(LEAVES, [
    place.index * TILE_WIDTH,
    (place.index + 1) * TILE_WIDTH,
  ]);
  const made = Buffer.concat(leaves.map((leaf) => logLeafHash(leaf.record_type, leaf.record_digest)));
  return made.equals(hashes) ? undefined : 'is not what its leaves make';
}

function differsAbove({ index }: TilePlace, hashes: Uint8Array, above: Uint8Array | undefined): string | undefined {
  if (hashes.length < TILE_WIDTH * HASH_BYTES) return undefined;
  const at = (index % TILE_WIDTH) * HASH_BYTES;
  const said = above?.subarray(at, at + HASH_BYTES);
  return said && Buffer.compare(rootOfRow(hashes), said) === 0
    ? undefined
    : 'does not make the hash that the tile above has of it';
}

const HASH_BYTES = 32;
const LEAVES =
  'select record_type, record_digest from log_leaf where leaf_index >= $1 and leaf_index < $2 order by leaf_index';

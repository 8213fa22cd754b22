import { emptyRoot, type LeafRange, nodeHash } from './merkle.js';

/**
 * C2SP tlog-tiles: a tile is up to 256 consecutive hashes of one level; level l holds the roots of full tiles of level
 * l - 1.
 */
export const TILE_WIDTH = 256;
const HASH_BYTES = 32;
/** A tile of level 6 spans 2^56 leaves, more than a safe integer counts. */
const MAX_LEVEL = 6;

/** Which tile: `level` from 0, `index` from the left. */
export interface TileAddress {
  readonly level: number;
  readonly index: number;
}
/** A tile with its hashes, as many as the tree has there. */
export interface Tile extends TileAddress {
  /** The hashes one after another, 32 bytes each. */
  readonly hashes: Uint8Array;
}

/** The tiles at hand, looked up by address. */
export class TileSet {
  private readonly byAddress = new Map<string, Uint8Array>();

  constructor(tiles: Iterable<Tile> = []) {
    for (const tile of tiles) this.put(tile);
  }

  put(tile: Tile): void {
    this.byAddress.set(`${String(tile.level)}/${String(tile.index)}`, tile.hashes);
  }

  find(address: TileAddress): Uint8Array | undefined {
    return this.byAddress.get(`${String(address.level)}/${String(address.index)}`);
  }
}

/** How many hashes the tile holds in a tree of that size; 0 when the tree does not have it. */
export function tileWidth(address: TileAddress, size: number): number {
  const hashesInLevel = Math.floor(size / TILE_WIDTH ** address.level);
  return Math.min(TILE_WIDTH, Math.max(0, hashesInLevel - address.index * TILE_WIDTH));
}

/** The partial tiles at the right edge: all that appending to a tree of that size, or computing its root, needs. */
export function frontierTiles(size: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let level = 0; level <= MAX_LEVEL; level++) {
    const hashesInLevel = Math.floor(size / TILE_WIDTH ** level);
    if (hashesInLevel % TILE_WIDTH > 0) tiles.push({ level, index: Math.floor(hashesInLevel / TILE_WIDTH) });
  }
  return tiles;
}

/** The tiles that {@link hashOfRange} reads for these ranges, each once. */
export function tilesForRanges(ranges: readonly LeafRange[]): TileAddress[] {
  const tiles = new Map<string, TileAddress>();
  for (const range of ranges) {
    for (const subtree of perfectSubtrees(range)) {
      const { level, index } = locate(subtree);
      tiles.set(`${String(level)}/${String(index)}`, { level, index });
    }
  }
  return [...tiles.values()];
}

/**
 * MTH(D[start:end]) of RFC 6962 from tiles. The range must be one that RFC 6962 splits off, or a whole tree.
 * @throws when a tile that it needs is missing or too short.
 */
export function hashOfRange(range: LeafRange, tiles: TileSet): Uint8Array {
  if (range.start === range.end) return emptyRoot();
  const hashes = perfectSubtrees(range).map((subtree) => hashOfSubtree(subtree, tiles));
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

/**
 * Adds leaf hashes to a tree of that size and returns the tiles that grew; `tiles` must hold the frontier and is
 * updated.
 */
export function appendLeaves(size: number, leafHashes: readonly Uint8Array[], tiles: TileSet): Tile[] {
  const changed: Tile[] = [];
  let incoming = leafHashes;
  for (let level = 0; incoming.length > 0; level++) {
    const grown = appendToLevel(level, Math.floor(size / TILE_WIDTH ** level), incoming, tiles);
    changed.push(...grown);
    incoming = grown
      .filter((tile) => tile.hashes.length === TILE_WIDTH * HASH_BYTES)
      .map((tile) => rootOfRow(tile.hashes));
  }
  return changed;
}

function appendToLevel(level: number, count: number, incoming: readonly Uint8Array[], tiles: TileSet): Tile[] {
  const grown: Tile[] = [];
  let position = count;
  let next = 0;
  while (next < incoming.length) {
    const index = Math.floor(position / TILE_WIDTH);
    const taken = incoming.slice(next, next + TILE_WIDTH - (position % TILE_WIDTH));
    const before = position % TILE_WIDTH === 0 ? new Uint8Array(0) : tiles.find({ level, index });
    if (before?.length !== (position % TILE_WIDTH) * HASH_BYTES) {
      throw new Error(`tile ${tilePath({ level, index })} does not hold what a tree of this size has`);
    }
    const tile = { level, index, hashes: Buffer.concat([before, ...taken]) };
    tiles.put(tile);
    grown.push(tile);
    next += taken.length;
    position += taken.length;
  }
  return grown;
}

/** A perfect subtree: 2^height leaves, the index-th of its height. */
interface Subtree {
  readonly height: number;
  readonly index: number;
}

function perfectSubtrees(range: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  let { start } = range;
  while (start < range.end) {
    const height = heightWithin(range.end - start);
    subtrees.push({ height, index: start / 2 ** height });
    start += 2 ** height;
  }
  return subtrees;
}

/** The height of the largest perfect subtree that fits. Not by Math.log2: it rounds up just below large powers. */
function heightWithin(count: number): number {
  let height = 0;
  while (2 ** (height + 1) <= count) height++;
  return height;
}

/** Where the row of hashes that a subtree spans lies: 2^(height mod 8) hashes of one tile. */
function locate({ height, index }: Subtree): TileAddress & { offset: number; width: number } {
  const width = 2 ** (height % 8);
  const first = index * width;
  return { level: Math.floor(height / 8), index: Math.floor(first / TILE_WIDTH), offset: first % TILE_WIDTH, width };
}

function hashOfSubtree(subtree: Subtree, tiles: TileSet): Uint8Array {
  const { level, index, offset, width } = locate(subtree);
  const row = tiles.find({ level, index })?.subarray(offset * HASH_BYTES, (offset + width) * HASH_BYTES);
  if (row?.length !== width * HASH_BYTES) throw new Error(`tile ${tilePath({ level, index })} is missing or too short`);
  return rootOfRow(row);
}

/** The root over a row of a power-of-two count of hashes. */
export function rootOfRow(row: Uint8Array): Uint8Array {
  let hashes = Array.from({ length: row.length / HASH_BYTES }, (_, i) =>
    row.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
  while (hashes.length > 1) {
    hashes = Array.from({ length: hashes.length / 2 }, (_, i) =>
      nodeHash(hashes[2 * i] ?? emptyRoot(), hashes[2 * i + 1] ?? emptyRoot()),
    );
  }
  return hashes[0] ?? emptyRoot();
}

/** `tile/<L>/<N>[.p/<W>]` of tlog-tiles: N in groups of three digits, all but the last with a leading x. */
export function tilePath({ level, index }: Pick<TileRequest, 'level' | 'index'>, width = TILE_WIDTH): string {
  return `tile/${String(level)}/${indexPath(index, width)}`;
}

/** What a path of tlog-tiles asks for; `entries` are the leaves themselves. */
export interface TileRequest {
  readonly level: number | 'entries';
  readonly index: number;
  /** 256 for a full tile, 1 to 255 for a partial one. */
  readonly width: number;
}

/** Parses what follows `tile/`, strictly: undefined for every path that tlog-tiles does not define. */
export function parseTilePath(path: string): TileRequest | undefined {
  const match = /^(0|[1-9]\d?|entries)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path);
  if (!match) return undefined;
  const [, level = '', groups = '', partial] = match;
  const index = Number(groups.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (indexPath(index, TILE_WIDTH) !== groups || (partial !== undefined && width >= TILE_WIDTH)) return undefined;
  return { level: level === 'entries' ? 'entries' : Number(level), index, width };
}

function indexPath(index: number, width: number): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0');
  const path = digits.replaceAll(/(\d{3})(?=\d)/g, 'x$1/');
  return width === TILE_WIDTH ? path : `${path}.p/${String(width)}`;
}

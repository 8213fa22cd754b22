import { describe, expect, it } from 'vitest';
import { sha256 } from './sha256.js';
import {
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  leafHash,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from './merkle.js';
import {
  appendLeaves,
  frontierTiles,
  hashOfRange,
  parseTilePath,
  TileSet,
  tilePath,
  tilesForRanges,
  tileWidth,
} from './tiles.js';

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const leaf = (index: number): Uint8Array => leafHash(Buffer.from(`entry ${String(index)}`));

/** MTH as RFC 6962 section 2.1 defines it, word for word. */
function root(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0] ?? sha256();
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(root(leaves.slice(0, k)), root(leaves.slice(k)));
}

/** Only the tiles asked for, as a database would give them. */
function only(tiles: TileSet, ranges: Parameters<typeof tilesForRanges>[0]): TileSet {
  return new TileSet(tilesForRanges(ranges).map((at) => ({ ...at, hashes: tiles.find(at) ?? new Uint8Array(0) })));
}

describe('Merkle tree (RFC 6962)', () => {
  // The vectors that Certificate Transparency implementations share: eight inputs and the roots of their prefixes.
  it('gives the published roots', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const leaves = inputs.map((input) => leafHash(Buffer.from(input, 'hex')));
    expect(toHex(emptyRoot())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect([1, 2, 3, 8].map((size) => toHex(root(leaves.slice(0, size))))).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]);
  });

  it('proves every leaf of every tree up to 70, from tiles, and nothing else', () => {
    const tiles = new TileSet();
    const leaves: Uint8Array[] = [];
    for (let size = 1; size <= 70; size++) {
      leaves.push(leaf(size - 1));
      appendLeaves(size - 1, leaves.slice(-1), tiles);
      const head = root(leaves);
      expect(toHex(hashOfRange({ start: 0, end: size }, only(tiles, [{ start: 0, end: size }])))).toBe(toHex(head));
      for (let index = 0; index < size; index++) {
        const path = inclusionRanges(index, size).map((range) => hashOfRange(range, tiles));
        expect(verifyInclusion(leaf(index), index, size, path, head)).toBe(true);
        expect(verifyInclusion(leaf(index + 1), index, size, path, head)).toBe(false);
        expect(verifyInclusion(leaf(index), index ^ 1, size, path, head)).toBe(false);
        expect(verifyInclusion(leaf(index), index, size, [...path, head], head)).toBe(false);
        expect(verifyInclusion(leaf(index), index, size, path.slice(1), head)).toBe(size === 1);
      }
    }
  });

  it('proves that every tree up to 40 extends every smaller one, and no forked one', () => {
    const tiles = new TileSet();
    const leaves = Array.from({ length: 40 }, (_, index) => leaf(index));
    appendLeaves(0, leaves, tiles);
    for (let second = 1; second <= 40; second++) {
      for (let first = 0; first <= second; first++) {
        const path = consistencyRanges(first, second).map((range) => hashOfRange(range, tiles));
        const old = { size: first, root: root(leaves.slice(0, first)) };
        const head = { size: second, root: root(leaves.slice(0, second)) };
        const fork = { size: first, root: root([...leaves.slice(0, Math.max(0, first - 1)), leaf(99)]) };
        expect(verifyConsistency(old, head, path)).toBe(true);
        expect(verifyConsistency(fork, head, path)).toBe(false);
        expect(verifyConsistency(old, { size: second, root: leaf(7) }, path)).toBe(first === 0);
        expect(verifyConsistency(old, head, [...path, leaf(1)])).toBe(false);
      }
    }
  });

  it('keeps tiles right across levels, whatever the batches', () => {
    const leaves = Array.from({ length: 66_000 }, (_, index) => leaf(index));
    const tiles = new TileSet();
    let size = 0;
    for (const batch of [1, 254, 1, 1, 255, 256, 1000, 64_000, 232]) {
      // Only the frontier is at hand, as in the sequencer.
      const frontier = new TileSet(frontierTiles(size).map((at) => ({ ...at, hashes: tiles.find(at) ?? leaf(0) })));
      for (const tile of appendLeaves(size, leaves.slice(size, size + batch), frontier)) tiles.put(tile);
      size += batch;
      expect(toHex(hashOfRange({ start: 0, end: size }, frontier))).toBe(toHex(root(leaves.slice(0, size))));
    }
    expect(frontierTiles(size)).toEqual([
      { level: 0, index: 257 },
      { level: 1, index: 1 },
      { level: 2, index: 0 },
    ]);
    for (const index of [0, 255, 256, 65_535, 65_536, 65_999]) {
      const ranges = inclusionRanges(index, size);
      const path = ranges.map((range) => hashOfRange(range, only(tiles, ranges)));
      expect(verifyInclusion(leaf(index), index, size, path, root(leaves))).toBe(true);
    }
  });

  it('counts partial tiles as the example of tlog-tiles does', () => {
    expect([0, 272, 273, 274].map((index) => tileWidth({ level: 0, index }, 70_000))).toEqual([256, 256, 112, 0]);
    expect([0, 1, 2].map((index) => tileWidth({ level: 1, index }, 70_000))).toEqual([256, 17, 0]);
    expect(tileWidth({ level: 2, index: 0 }, 70_000)).toBe(1);
    expect(tileWidth({ level: 1, index: 0 }, 256)).toBe(1);
  });

  it('writes and reads tile paths', () => {
    expect(tilePath({ level: 0, index: 1234067 })).toBe('tile/0/x001/x234/067');
    expect(tilePath({ level: 3, index: 5 }, 17)).toBe('tile/3/005.p/17');
    expect(parseTilePath('0/x001/x234/067')).toEqual({ level: 0, index: 1234067, width: 256 });
    expect(parseTilePath('entries/000.p/9')).toEqual({ level: 'entries', index: 0, width: 9 });
    const wrong = [
      '0/1',
      '00/000',
      '0/x000/001',
      '0/001/002',
      '0/000.p/0',
      '0/000.p/256',
      '0/000.p/07',
      '0/000/',
      '-1/000',
    ];
    expect(wrong.map(parseTilePath)).toEqual(wrong.map(() => undefined));
  });
});

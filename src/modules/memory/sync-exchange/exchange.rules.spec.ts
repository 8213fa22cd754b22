import { describe, expect, it } from 'vitest';
import type { SyncRecord } from '../sync/sync-wire.types.js';
import { basisOf, batchesOf, groupByRecord, meet, placeAfter, placeAt, wantedOf } from './exchange.rules.js';
import type { ExchangeReach, Manifest } from './exchange.types.js';

const record = (id: string, digest: string, text = ''): SyncRecord =>
  ({ collection: 'facts', id: [id, 'key'], digest, content: { value: text } }) as unknown as SyncRecord;
const reach = (...prefixes: string[]): ExchangeReach => ({ prefixes, collections: 'all' });
const manifest = (origin: string, membership_epoch = '1'): Manifest => ({
  ...{ origin, membership_epoch, position: 1, checkpoint: null, role_grants: [], collections: [] },
});

describe('what two open to each other', () => {
  it('is the narrower of their prefixes', () => {
    expect(meet(reach('a', 'b:c'), reach('a:x', 'b', 'd')).prefixes).toEqual(['a:x', 'b:c']);
    expect(meet(reach('a'), { prefixes: 'all', collections: 'all' }).prefixes).toEqual(['a']);
    expect(meet(reach('a'), reach('b')).prefixes).toEqual([]);
  });

  it('is the collections of both', () => {
    const facts: ExchangeReach = { prefixes: 'all', collections: new Set(['facts', 'holds']) };
    expect(meet(facts, { prefixes: 'all', collections: new Set(['facts']) }).collections).toEqual(new Set(['facts']));
    expect(meet(reach('a'), reach('a')).collections).toBe('all');
  });
});

it('the basis of progress is another one after a restore, an offboarding, or another reach', () => {
  const bases = [
    basisOf(manifest('a'), manifest('b'), reach('x')),
    basisOf(manifest('b'), manifest('a'), reach('x')),
    basisOf(manifest('a'), manifest('c'), reach('x')),
    basisOf(manifest('a'), manifest('b', '2'), reach('x')),
    basisOf(manifest('a'), manifest('b'), reach('x', 'y')),
  ];
  expect(new Set(bases).size).toBe(bases.length);
});

it('a source is asked for what the target lacks, by what it has', () => {
  const page = groupByRecord([record('a', '1'), record('a', '2'), record('b', '3')]);
  expect(wantedOf(page, [{ id: ['a', 'key'], digests: ['2'] }])).toEqual([{ id: ['a', 'key'], digests: ['1'] }]);
});

describe('a pass ends, for a page', () => {
  const digest = (n: number) => `sha256:${String(n).repeat(64)}`;
  const ofFull = (items: SyncRecord[], next_cursor: string | null, after = '') =>
    placeAfter('facts', 'full', { items, next_cursor }, after);
  const at = (position: number) => ({ ...record('a', digest(1)), position });
  const ofDelta = (positions: number[], next_cursor: string | null, after: number) =>
    placeAfter('facts', 'delta', { items: positions.map(at), next_cursor }, placeAt(after));

  it('that is not the last has something', () => {
    expect(ofFull([], 'c')).toBeUndefined();
    expect(ofDelta([], 'c', 5)).toBeUndefined();
    expect(ofFull([], null)).toBe('');
  });

  it('begins after the page before, by key and digest or by position', () => {
    const [first, second] = [record('a', digest(1)), record('a', digest(2))];
    const place = ofFull([first], 'c')!;
    expect(ofFull([second], 'd', place)! > place).toBe(true);
    expect(ofFull([first], 'd', place)).toBeUndefined();
    expect(ofFull([second, first], null)).toBeUndefined();
    expect(ofDelta([6, 10, 200], 'c', 5)).toBe(placeAt(200));
    expect(ofDelta([5], 'c', 5)).toBeUndefined();
    expect(ofDelta([7, 6], 'c', 5)).toBeUndefined();
  });

  it('has items that are records', () => {
    expect(ofFull([{ ...record('a', digest(1)), id: ['a'] }], null)).toBeUndefined();
    expect(
      placeAfter('tombstones', 'full', { items: [record('a', digest(1))], next_cursor: null }, ''),
    ).toBeUndefined();
    expect(placeAfter('facts', 'delta', { items: [record('a', digest(1))], next_cursor: null }, '')).toBeUndefined();
  });
});

it('batches have 100,000 members at most unless one record has more', () => {
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));
  const wide = (count: number) => ({ ...record('a', '1'), content: members(count) }) as unknown as SyncRecord;
  const sizes = (...counts: number[]) => batchesOf(counts.map(wide)).map(({ length }) => length);
  expect(sizes(...Array<number>(24).fill(9_900))).toEqual([10, 10, 4]);
  expect(sizes(120_000, 10, 10)).toEqual([1, 2]);
});

it('batches have 2,000 records at most, and 5 MiB unless one record is larger', () => {
  const small = Array.from({ length: 4500 }, (_, n) => record(String(n), String(n)));
  expect(batchesOf(small).map(({ length }) => length)).toEqual([2000, 2000, 500]);
  const large = Array.from({ length: 3 }, (_, n) => record(String(n), String(n), 'x'.repeat(3 * 1024 * 1024)));
  expect(batchesOf(large).map(({ length }) => length)).toEqual([1, 1, 1]);
  expect(batchesOf([])).toEqual([[]]);
});

import { describe, expect, it } from 'vitest';
import type { SyncRecord } from '../sync/sync-wire.types.js';
import { basisOf, batchesOf, groupByRecord, meet, wantedOf } from './exchange.rules.js';
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

it('batches have 2,000 records at most, and 5 MiB unless one record is larger', () => {
  const small = Array.from({ length: 4500 }, (_, n) => record(String(n), String(n)));
  expect(batchesOf(small).map(({ length }) => length)).toEqual([2000, 2000, 500]);
  const large = Array.from({ length: 3 }, (_, n) => record(String(n), String(n), 'x'.repeat(3 * 1024 * 1024)));
  expect(batchesOf(large).map(({ length }) => length)).toEqual([1, 1, 1]);
  expect(batchesOf([])).toEqual([[]]);
});

import { expect, test } from 'vitest';
import { buildSegment, openAllPostings, Segment } from '../../../../search/segment.js';
import { LoadedSegment } from './segment-cache.js';

const data = buildSegment(
  ['a', 'b', 'c'].map((chunkId) => ({ chunkId, text: `word ${chunkId}`, day: 0 })),
  'simple',
);
const segment = Segment.open(data.header, data.digest);
const lists = openAllPostings(segment, data);
const listOf = (term: string) => lists.get(term)!;
const ref = { segmentId: 's', sequence: 5, chunkCount: 3 };

test('tombstones later than the segment kill, those it already holds do not', () => {
  const loaded = new LoadedSegment(segment);
  expect(loaded.tombstones(ref, [{ chunkId: 'a', generation: 5 }])).toBeUndefined();
  expect(loaded.tombstones(ref, [{ chunkId: 'elsewhere', generation: 6 }])).toBeUndefined();
  const first = loaded.tombstones(ref, [
    { chunkId: 'b', generation: 7 },
    { chunkId: 'a', generation: 5 },
  ]);
  expect(first).toEqual({ dead: Uint8Array.of(0, 1, 0), count: 1, length: 2 });
});

test('the tombstones are the same object while none is added, for counts are kept by it', () => {
  const loaded = new LoadedSegment(segment);
  const tombstones = [{ chunkId: 'b', generation: 7 }];
  const first = loaded.tombstones(ref, tombstones);
  expect(loaded.tombstones(ref, tombstones)).toBe(first);
  expect(loaded.tombstones(ref, [{ chunkId: 'elsewhere', generation: 8 }, ...tombstones])).toBe(first);
  const more = loaded.tombstones(ref, [{ chunkId: 'c', generation: 9 }, ...tombstones]);
  expect(more).toEqual({ dead: Uint8Array.of(0, 1, 1), count: 2, length: 4 });
});

test('lists are kept within the byte limit, the oldest ones are evicted first', () => {
  const loaded = new LoadedSegment(segment);
  const empty = loaded.byteSize;
  loaded.keepPostings(new Map([['word', listOf('word')]]), 1e6);
  const one = loaded.byteSize - empty;
  loaded.keepPostings(new Map([['a', listOf('a')]]), one);
  expect([loaded.findPostings('word'), loaded.findPostings('a')?.ordinals]).toEqual([undefined, Uint32Array.of(0)]);
  loaded.keepPostings(new Map(), 0);
  expect([loaded.findPostings('a'), loaded.byteSize]).toEqual([undefined, empty]);
});

test('a list that was used stays, and one that was not goes in its place', () => {
  const loaded = new LoadedSegment(segment);
  const kept = () => ['a', 'b', 'c'].filter((term) => loaded.findPostings(term));
  const empty = loaded.byteSize;
  loaded.keepPostings(new Map([['a', listOf('a')]]), 1e6);
  const two = (loaded.byteSize - empty) * 2;
  loaded.keepPostings(new Map([['b', listOf('b')]]), two);
  loaded.findPostings('a');
  loaded.keepPostings(new Map([['c', listOf('c')]]), two);
  expect(kept()).toEqual(['a', 'c']);
});

test('the rows of a small segment count as memory that it takes', () => {
  const rows = new Map([['word', new Uint8Array(1_000)]]);
  expect(new LoadedSegment(segment, rows).byteSize - new LoadedSegment(segment).byteSize).toBeGreaterThan(1_000);
});

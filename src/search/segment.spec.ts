import { expect, test } from 'vitest';
import { MERGE_FACTOR, mergeSegments, planMerges } from './merge.js';
import { buildSegment, Segment, SegmentCorrupted } from './segment.js';

const chunks = [
  { chunkId: 'doc/1', title: 'Orbits', text: 'Planets orbit a star, and planets are round.', day: 20_001 },
  { chunkId: 'doc/2', title: null, text: 'Stars shine; 東京 at night.', day: 20_000 },
];
const data = buildSegment(chunks, 'english');

function row(term: string): Uint8Array {
  const i = data.terms.indexOf(term);
  return data.postings.subarray(data.offsets[i], data.offsets[i + 1]);
}

test('a segment opens to what was indexed', () => {
  const segment = Segment.open(data.header, data.digest);
  expect(segment.chunkIds).toEqual(['doc/1', 'doc/2']);
  expect([...segment.days]).toEqual([20_001, 20_000]);
  expect([...segment.lengths]).toEqual([7, 4]);
  expect(segment.totalLength).toBe(11);
  expect(segment.terms).toEqual(['night', 'orbit', 'planet', 'round', 'shine', 'star', '東京']);
  expect(segment.ordinalOf('doc/2')).toBe(1);
  const list = segment.openPostings('star', row('star'));
  expect([[...list.ordinals], [...list.frequencies]]).toEqual([
    [0, 1],
    [1, 1],
  ]);
  expect([...segment.openPostings('orbit', row('orbit')).frequencies]).toEqual([3]);
});

test('every single altered bit of header, digest or row is noticed', () => {
  const parts = [data.header, data.digest, row('planet')];
  parts.forEach((part, which) => {
    for (let bit = 0; bit < part.length * 8; bit++) {
      const altered = Uint8Array.from(part);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => {
        const segment = Segment.open(which === 0 ? altered : data.header, which === 1 ? altered : data.digest);
        segment.openPostings('planet', which === 2 ? altered : row('planet'));
      }).toThrow(SegmentCorrupted);
    }
  });
});

test('a missing row and a row of another term are noticed', () => {
  const segment = Segment.open(data.header, data.digest);
  expect(() => segment.openPostings('planet', undefined)).toThrow(SegmentCorrupted);
  expect(() => segment.openPostings('planet', row('round'))).toThrow(SegmentCorrupted);
  expect(() => segment.openPostings('absent', row('round'))).toThrow(SegmentCorrupted);
});

test('merging everything away leaves an empty segment', () => {
  const merged = mergeSegments([{ segment: data, withdrawn: new Set(['doc/1', 'doc/2', 'doc/3']) }]);
  expect([merged.chunkCount, merged.terms, merged.postings.length]).toEqual([0, [], 0]);
  expect(Segment.open(merged.header, merged.digest).chunkIds).toEqual([]);
});

test('merging is the same as building at once', () => {
  const parts = chunks.map((chunk) => ({ segment: buildSegment([chunk], 'english'), withdrawn: new Set<string>() }));
  expect(mergeSegments(parts)).toEqual(data);
});

test('merges keep the number of segments logarithmic and rewrite a chunk once a tier', () => {
  let segments: { id: string; chunkCount: number }[] = [];
  let rewritten = 0;
  for (let i = 0; i < 20_000; i++) {
    segments.push({ id: `s${i}`, chunkCount: 5 });
    for (const ids of planMerges(segments, 0)) {
      const chunkCount = segments.filter((s) => ids.includes(s.id)).reduce((sum, s) => sum + s.chunkCount, 0);
      segments = [...segments.filter((s) => !ids.includes(s.id)), { id: `m${i}`, chunkCount }];
      rewritten += chunkCount;
    }
    expect(segments.length).toBeLessThanOrEqual(MERGE_FACTOR * 5);
  }
  expect(rewritten / 100_000).toBeLessThan(8);
});

test('a shard with many withdrawn chunks is rewritten as a whole', () => {
  const segments = [
    { id: 'a', chunkCount: 900 },
    { id: 'b', chunkCount: 100 },
  ];
  expect(planMerges(segments, 251)).toEqual([['a', 'b']]);
  expect(planMerges(segments, 250)).toEqual([]);
  expect(planMerges([], 3)).toEqual([]);
});

import { expect, test } from 'vitest';
import { MERGE_FACTOR, mergeSegments, planMerges } from './merge.js';
import { blake3 } from './hasher.js';
import { ByteReader, ByteWriter } from './bytes.js';
import { buildSegment, openAllPostings, rowsOf, Segment, SegmentCorrupted, type SegmentData } from './segment.js';

const chunks = [
  { chunkId: 'doc/1', title: 'Orbits', text: 'Planets orbit a star, and planets are round.', day: 20_001 },
  { chunkId: 'doc/2', title: null, text: 'Stars shine; 東京 at night.', day: 20_000 },
];
const data = buildSegment(chunks, 'english');

const row = (of: SegmentData, term: string) => rowsOf(of).get(Segment.open(of.header, of.digest).rowNameOf(term)!)!;
const listOf = (of: SegmentData, term: string) => {
  const list = openAllPostings(Segment.open(of.header, of.digest), of).get(term)!;
  return [[...list.ordinals], [...list.frequencies]];
};

/** What versions before wrote: a row a term, each with its own digest in the header. */
function inSingleTerms(of: SegmentData): SegmentData {
  const segment = Segment.open(of.header, of.digest);
  const reader = new ByteReader(of.header);
  const header = new ByteWriter();
  header.varint(reader.varint() - 1);
  header.text(reader.text());
  header.varint(reader.varint());
  segment.chunkIds().forEach(() => {
    header.text(reader.text());
    header.varint(reader.varint());
    header.varint(reader.varint());
  });
  header.varint(reader.varint());
  const postings = new ByteWriter();
  const offsets = [0];
  let at = 0;
  const terms = termsOf(segment, of);
  for (const term of terms) {
    header.text(reader.text());
    header.varint(reader.varint());
    const bytes = of.postings.subarray(at, (at += reader.varint()));
    header.bytes(blake3(Buffer.concat([Buffer.from(`${term}\0`), bytes])).subarray(0, 8));
    postings.bytes(bytes);
    offsets.push(postings.length);
  }
  const bytes = header.finish();
  return {
    ...{ ...of, header: bytes, digest: blake3(bytes), rows: terms },
    ...{ postings: postings.finish(), offsets: Uint32Array.from(offsets) },
  };
}

const termsOf = (segment: Segment, of: SegmentData): string[] => [...openAllPostings(segment, of).keys()];

/** Of a few thousand terms, of which one is in every chunk. */
const large = buildSegment(
  Array.from({ length: 3_000 }, (_, i) => ({ chunkId: `doc/${i}`, text: `every word${i} other${i % 700}`, day: i })),
  'simple',
);

test('a segment opens to what was indexed', () => {
  const segment = Segment.open(data.header, data.digest);
  expect(segment.chunkIds()).toEqual(['doc/1', 'doc/2']);
  expect([...segment.days]).toEqual([20_001, 20_000]);
  expect([...segment.lengths]).toEqual([7, 4]);
  expect(segment.totalLength).toBe(11);
  expect(termsOf(segment, data)).toEqual(['night', 'orbit', 'planet', 'round', 'shine', 'star', '東京']);
  expect(segment.ordinalOf('doc/2')).toBe(1);
  expect(listOf(data, 'star')).toEqual([
    [0, 1],
    [1, 1],
  ]);
  expect(listOf(data, 'orbit')).toEqual([[0], [3]]);
});

test('every single altered bit of header, digest or row is noticed', () => {
  const parts = [data.header, data.digest, row(data, 'planet')];
  parts.forEach((part, which) => {
    for (let bit = 0; bit < part.length * 8; bit++) {
      const altered = Uint8Array.from(part);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => {
        const segment = Segment.open(which === 0 ? altered : data.header, which === 1 ? altered : data.digest);
        segment.openPostings('planet', which === 2 ? altered : row(data, 'planet'));
      }).toThrow(SegmentCorrupted);
    }
  });
});

test('a missing row and a row of another term are noticed', () => {
  const segment = Segment.open(data.header, data.digest);
  expect(() => segment.openPostings('planet', undefined)).toThrow(SegmentCorrupted);
  expect(() => segment.openPostings('planet', row(large, 'word7'))).toThrow(SegmentCorrupted);
  expect(() => segment.openPostings('absent', row(data, 'planet'))).toThrow(SegmentCorrupted);
});

test('merging everything away leaves an empty segment', () => {
  const merged = mergeSegments([{ segment: data, withdrawn: new Set(['doc/1', 'doc/2', 'doc/3']) }]);
  expect([merged.chunkCount, merged.rows, merged.postings.length]).toEqual([0, [], 0]);
  expect(Segment.open(merged.header, merged.digest).chunkIds()).toEqual([]);
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

test('rows hold many terms and stay below 1,800 bytes; what is longer has a row of its own', () => {
  const sizes = [...rowsOf(large)].map(([name, bytes]) => [name, bytes.length] as const);
  expect(sizes.length).toBeLessThan(30);
  expect(sizes.filter(([, size]) => size > 1_800)).toEqual([['every', 3_002]]);
  expect(listOf(large, 'every')[0]).toHaveLength(3_000);
  expect(listOf(large, 'word2999')).toEqual([[2_999], [1]]);
  expect(listOf(large, 'other699')).toEqual([
    [699, 1_399, 2_099, 2_799],
    [1, 1, 1, 1],
  ]);
});

test('a row is not taken for another one', () => {
  const segment = Segment.open(large.header, large.digest);
  expect(segment.rowNameOf('every')).toBe('every');
  expect(segment.rowNameOf('absent')).toBeUndefined();
  expect(() => segment.openPostings('every', row(large, 'word7'))).toThrow(SegmentCorrupted);
  expect(segment.openPostings('word7', row(large, 'word7')).ordinals).toEqual(Uint32Array.of(7));
});

test('a segment of earlier versions, with a row a term, opens and merges to the same', () => {
  for (const one of [data, large]) {
    const earlier = inSingleTerms(one);
    const segment = Segment.open(earlier.header, earlier.digest);
    const terms = termsOf(segment, earlier);
    expect(earlier.rows).toEqual(terms);
    expect(openAllPostings(segment, earlier)).toEqual(openAllPostings(Segment.open(one.header, one.digest), one));
    expect(mergeSegments([{ segment: earlier, withdrawn: new Set<string>() }])).toEqual(one);
    expect(() => segment.openPostings(terms[0]!, row(one, terms.at(-1)!))).toThrow(SegmentCorrupted);
  }
});

test('ids of chunks are those that were given, however long they are', () => {
  const ids = ['a', 'é🙂', 'x'.repeat(127), 'y'.repeat(128), 'z'.repeat(20_000), 'last'];
  const { header, digest } = buildSegment(
    ids.map((chunkId) => ({ chunkId, text: 'word', day: 0 })),
    'simple',
  );
  const segment = Segment.open(header, digest);
  expect(segment.chunkIds()).toEqual(ids);
  expect(ids.map((id) => segment.ordinalOf(id))).toEqual([...ids.keys()]);
});

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { bindQuery, type Hit, queryTerms, type SegmentView } from './collection.js';
import { type Candidates, scoreAll, scoreChunk, searchAll } from './exhaustive.js';
import { buildSegment, openAllPostings, Segment } from './segment.js';
import { atOnce } from './slices.js';

const TODAY = 20_000;
const WORDS = ['pier', 'lamp', 'gull', 'rope', 'mast', 'tide', 'buoy'];

/** Chunks of a few words each, so that many have the same score. */
function viewOf(name: string, count: number): SegmentView {
  const chunks = Array.from({ length: count }, (_, i) => ({
    chunkId: `${name}${(i * 7919) % count}`,
    text: [WORDS[i % 7], WORDS[(i * 3) % 7], i % 5 === 0 ? 'quay' : WORDS[(i >> 3) % 7]].join(' '),
    day: TODAY - (i % 11),
  }));
  const data = buildSegment(chunks, 'simple');
  const segment = Segment.open(data.header, data.digest);
  const dead = Uint8Array.from({ length: count }, (_, i) => (i % 13 === 0 ? 1 : 0));
  const size = dead.reduce((sum, one) => sum + one, 0);
  return { segment, tombstones: { dead, count: size, length: size * 3 }, postings: openAllPostings(segment, data) };
}

const views = [viewOf('a', 40_000), viewOf('b', 700)];
const query = bindQuery(views, queryTerms(['quay', 'mast', 'tide']), TODAY);
const all = searchAll(views, query);
const scored = (): Candidates => atOnce(scoreAll([{ views, query }]));

test('all that match are scored, as each is by itself, and none that is withdrawn', () => {
  expect(scored().count).toBe(all.length);
  expect(all.some(({ view, ordinal }) => view.tombstones?.dead[ordinal])).toBe(false);
  for (const hit of all.slice(0, 500)) expect(hit).toEqual(scoreChunk(views, query, hit.view, hit.ordinal));
});

test.each([0, 1, 10, 1000, 5000])('the best %i are the first of all', (limit) => {
  expect(atOnce(scored().best(limit))).toEqual(all.slice(0, limit));
});

/** As docs/retrieval.md says it. */
function digestOf(hits: readonly Hit[]): string {
  const hash = createHash('sha256');
  const segments = [...views].sort((a, b) => Buffer.compare(a.segment.digest, b.segment.digest));
  for (const one of segments) {
    const own = hits.filter(({ view }) => view === one).sort((a, b) => a.ordinal - b.ordinal);
    const numbers = Buffer.alloc(4 + 12 * own.length);
    numbers.writeUInt32LE(own.length);
    own.forEach(({ ordinal, score }, i) => {
      numbers.writeUInt32LE(ordinal, 4 + 12 * i);
      numbers.writeDoubleLE(score, 8 + 12 * i);
    });
    hash.update(one.segment.digest).update(numbers);
  }
  return hash.digest('hex');
}

test('the digest covers every candidate and its score, in whatever order the segments come', () => {
  const hex = (candidates: Candidates) => Buffer.from(atOnce(candidates.digest())).toString('hex');
  expect(hex(scored())).toBe(digestOf(all));
  expect(hex(atOnce(scoreAll([{ views: [...views].reverse(), query }])))).toBe(digestOf(all));
});

test('a chunk that is near in meaning has the score it is given, also one without the words', () => {
  const candidates = scored();
  const found = { ...all[100]!, vector: 50, score: all[100]!.score + 50 };
  const view = views[1]!;
  const ordinal = view.segment
    .chunkIds()
    .findIndex((chunkId, i) => !view.tombstones!.dead[i] && !all.some((hit) => hit.chunkId === chunkId));
  const other = { ...scoreChunk(views, query, view, ordinal), vector: 20, score: 20 };
  candidates.replace([found, other]);
  expect(candidates.count).toBe(all.length + 1);
  expect(atOnce(candidates.best(2))).toEqual([found, other]);
  expect(Buffer.from(atOnce(candidates.digest())).toString('hex')).toBe(
    digestOf([...all.filter((hit) => hit !== all[100]), found, other]),
  );
});

test('what was asked for the best before is asked again after a score was replaced', () => {
  const candidates = scored();
  expect(atOnce(candidates.best(20))).toEqual(all.slice(0, 20));
  expect(atOnce(candidates.best(5))).toEqual(all.slice(0, 5));
  const found = { ...all[100]!, vector: 50, score: all[100]!.score + 50 };
  candidates.replace([found]);
  expect(atOnce(candidates.best(5))).toEqual([found, ...all.slice(0, 4)]);
});

test('columns that were used before are as new, for segments of another size too', () => {
  const wide = bindQuery(views, queryTerms(WORDS), TODAY);
  atOnce(scoreAll([{ views, query: wide }])).release();
  const others = [viewOf('c', 39_000), viewOf('d', 650)];
  const narrow = bindQuery(others, queryTerms(['quay']), TODAY);
  const again = searchAll(others, narrow);
  expect(again.every((hit) => hit.score === scoreChunk(others, narrow, hit.view, hit.ordinal).score)).toBe(true);
  expect(new Set(again.map(({ chunkId }) => chunkId)).size).toBe(again.length);
  expect(searchAll(others, narrow)).toEqual(again);
  expect(searchAll(views, query)).toEqual(all);
});

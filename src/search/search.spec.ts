import { expect, test } from 'vitest';
import { B, inverseDocumentFrequency, K1, recency } from './bm25.js';
import { bindQuery, type Hit, type QueryTerm, queryTerms, type SegmentView } from './collection.js';
import { scoreChunk, searchAll } from './exhaustive.js';
import { searchTop } from './maxscore.js';
import { mergeSegments } from './merge.js';
import { type Tombstones, WINDOW } from './postings.js';
import { buildSegment, type ChunkInput, openAllPostings, Segment, type SegmentData } from './segment.js';

/** mulberry32: the same corpora on every run. */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const TODAY = 20_000;
const VOCABULARY = Array.from({ length: 60 }, (_, i) => `w${i}`);

/** A word by Zipf's law, so that lists of every length occur. */
function word(next: () => number): string {
  return VOCABULARY[Math.floor(VOCABULARY.length ** next() - 1)]!;
}

function corpus(next: () => number, size: number): ChunkInput[] {
  return Array.from({ length: size }, (_, i) => ({
    chunkId: `c${((i * 7919) % size).toString().padStart(6, '0')}`,
    text: Array.from({ length: 1 + Math.floor(next() ** 3 * 60) }, () => word(next)).join(' '),
    day: TODAY - Math.floor(next() * 3) * 200,
  }));
}

function tombstonesOf(segment: Segment, dead: ReadonlySet<string>): Tombstones {
  const bytes = Uint8Array.from(segment.chunkIds(), (chunkId) => (dead.has(chunkId) ? 1 : 0));
  let count = 0;
  let length = 0;
  bytes.forEach((isDead, ordinal) => {
    count += isDead;
    length += isDead * segment.lengths[ordinal]!;
  });
  return { dead: bytes, count, length };
}

function open(data: SegmentData, dead: ReadonlySet<string>): SegmentView {
  const segment = Segment.open(data.header, data.digest);
  return { segment, postings: openAllPostings(segment, data), tombstones: tombstonesOf(segment, dead) };
}

function split(chunks: ChunkInput[], next: () => number): SegmentData[] {
  const segments: SegmentData[] = [];
  for (let start = 0; start < chunks.length;) {
    const end = start + 1 + Math.floor(next() * chunks.length);
    segments.push(buildSegment(chunks.slice(start, end), 'simple'));
    start = end;
  }
  return segments;
}

interface Ranked {
  chunkId: string;
  score: number;
  lexical: number;
  recency: number;
  laneWeight: number;
}

/** BM25 straight from the formula, over the texts. */
function naive(chunks: ChunkInput[], query: QueryTerm[]): Ranked[] {
  const texts = chunks.map((chunk) => chunk.text.split(' '));
  const average = texts.reduce((sum, words) => sum + words.length, 0) / chunks.length;
  const found: Ranked[] = [];
  chunks.forEach((chunk, i) => {
    const sums = { lexical: 0, laneWeight: 0 };
    for (const { term, weight, expansion } of query) {
      const frequency = texts[i]!.filter((other) => other === term).length;
      const idf = inverseDocumentFrequency(chunks.length, texts.filter((words) => words.includes(term)).length);
      const norm = K1 * (1 - B + (B * texts[i]!.length) / average);
      sums[expansion ? 'laneWeight' : 'lexical'] += weight * idf * (K1 + 1) * (frequency / (frequency + norm));
    }
    const recent = recency(chunk.day, TODAY);
    if (sums.lexical + sums.laneWeight === 0) return;
    const score = sums.lexical + 0 + recent + sums.laneWeight;
    found.push({ chunkId: chunk.chunkId, score, lexical: sums.lexical, recency: recent, laneWeight: sums.laneWeight });
  });
  return found.sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
}

function plain(hits: Hit[]): Ranked[] {
  return hits.map(({ chunkId, score, lexical, recency: recent, laneWeight }) => ({
    chunkId,
    score,
    lexical,
    recency: recent,
    laneWeight,
  }));
}

function randomQuery(next: () => number): QueryTerm[] {
  const original = queryTerms(Array.from({ length: 1 + Math.floor(next() * 12) }, () => word(next)));
  const expansion = queryTerms(Array.from({ length: Math.floor(next() * 4) }, () => word(next)));
  return [...original, ...expansion.map((term) => ({ ...term, weight: term.weight * 0.3, expansion: true }))];
}

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'corpus %i: naive, exhaustive and MaxScore agree bit for bit, split, with deletes and merged',
  (seed) => {
    const next = random(seed);
    const chunks = corpus(next, seed % 3 === 0 ? 2500 : 300);
    const dead = new Set(chunks.filter(() => next() < 0.2).map((chunk) => chunk.chunkId));
    const live = chunks.filter((chunk) => !dead.has(chunk.chunkId));
    const segments = split(chunks, next);
    const views = segments.map((data) => open(data, dead));
    const merged = open(mergeSegments(segments.map((segment) => ({ segment, withdrawn: dead }))), new Set());
    expect(merged.segment.chunkIds()).toEqual(live.map((chunk) => chunk.chunkId));
    for (let round = 0; round < 10; round++) {
      const query = randomQuery(next);
      const all = plain(searchAll(views, bindQuery(views, query, TODAY)));
      const again = plain(searchAll([merged], bindQuery([merged], query, TODAY)));
      if (chunks.length < 1000 || round === 0) expect(JSON.stringify(all)).toBe(JSON.stringify(naive(live, query)));
      expect(JSON.stringify(again)).toBe(JSON.stringify(all));
      const limit = 1 + Math.floor(next() * 20);
      expect(plain(searchTop(views, bindQuery(views, query, TODAY), limit).hits)).toEqual(all.slice(0, limit));
      expect(plain(searchTop([merged], bindQuery([merged], query, TODAY), limit).hits)).toEqual(all.slice(0, limit));
    }
  },
);

test('exhaustive and MaxScore agree over many windows, for words in nearly all chunks, in a few and in one', () => {
  const next = random(77);
  const rare = (chunk: ChunkInput): ChunkInput =>
    next() < 0.02 ? { ...chunk, text: `${chunk.text} r${Math.floor(60 * next() ** 3)}` } : chunk;
  const chunks = corpus(next, 3 * WINDOW + 100).map(rare);
  const view = open(buildSegment(chunks, 'simple'), new Set(chunks.slice(0, 5000).map(({ chunkId }) => chunkId)));
  const sizes = Array.from({ length: 60 }, (_, n) => view.postings.get(`r${n}`)?.ordinals.length ?? 0);
  expect([Math.min(...sizes.filter(Boolean)) < 8, Math.max(...sizes) > 24]).toEqual([true, true]);
  for (let round = 0; round < 60; round++) {
    const rares = Array.from({ length: Math.floor(next() * 6) }, () => `r${Math.floor(next() * 60)}`);
    const terms = [...randomQuery(next), ...queryTerms(rares)];
    const query = bindQuery([view], terms, TODAY);
    const limit = 1 + Math.floor(next() * 20);
    expect(plain(searchTop([view], query, limit).hits)).toEqual(plain(searchAll([view], query)).slice(0, limit));
  }
});

test('skipping skips: of 20,000 chunks few are scored in full', () => {
  const chunks = corpus(random(99), 20_000);
  const view = open(buildSegment(chunks, 'simple'), new Set());
  const query = bindQuery([view], queryTerms(['w0', 'w1', 'w40', 'w55']), TODAY);
  expect(searchTop([view], query, 10).scored).toBeLessThan(1000);
});

test('a view may weigh its chunks: the best by the weighed score, with and without skipping', () => {
  const view = open(buildSegment(corpus(random(5), 3000), 'simple'), new Set());
  const weighed = { ...view, factorOf: (ordinal: number) => ((ordinal * 31) % 10) / 9 };
  const query = bindQuery([weighed], queryTerms(['w1', 'w7', 'w30']), TODAY);
  const plainly = searchAll([view], query).map(({ chunkId, ordinal, score }) => ({
    chunkId,
    score: score * (((ordinal * 31) % 10) / 9),
  }));
  plainly.sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
  const all = searchAll([weighed], query);
  expect(all.map(({ chunkId, score }) => ({ chunkId, score }))).toEqual(plainly);
  expect(searchTop([weighed], query, 20).hits).toEqual(all.slice(0, 20));
});

test('chunks of equal score come in the order of their ids, whichever segment holds them', () => {
  const segments = ['d', 'b', 'a', 'c'].map((chunkId) =>
    open(buildSegment([{ chunkId, text: 'same words', day: TODAY }], 'simple'), new Set()),
  );
  const query = bindQuery(segments, queryTerms(['same']), TODAY);
  expect(searchTop(segments, query, 3).hits.map((hit) => hit.chunkId)).toEqual(['a', 'b', 'c']);
});

test('a chunk scored by itself has the score the search gives it, and one without the terms its recency', () => {
  const view = open(buildSegment(corpus(random(5), 200), 'simple'), new Set());
  const query = bindQuery([view], [...queryTerms(['w1', 'w9']), { term: 'w3', weight: 0.5, expansion: true }], TODAY);
  const hits = searchAll([view], query);
  for (const hit of hits) expect(scoreChunk([view], query, view, hit.ordinal)).toEqual(hit);
  const other = view.segment.chunkIds().findIndex((chunkId) => !hits.some((hit) => hit.chunkId === chunkId));
  const { score, lexical, recency: recent } = scoreChunk([view], query, view, other);
  expect([score, lexical]).toEqual([recent, 0]);
});

test('nothing is found where nothing matches or nothing lives', () => {
  const data = buildSegment([{ chunkId: 'a', text: 'one two', day: TODAY }], 'simple');
  const alive = open(data, new Set());
  const withdrawn = open(data, new Set(['a']));
  expect(searchTop([alive], bindQuery([alive], queryTerms(['three']), TODAY), 5)).toEqual({ hits: [], scored: 0 });
  expect(searchTop([withdrawn], bindQuery([withdrawn], queryTerms(['one']), TODAY), 5)).toEqual({
    hits: [],
    scored: 0,
  });
  expect(searchAll([], bindQuery([], queryTerms(['one']), TODAY))).toEqual([]);
});

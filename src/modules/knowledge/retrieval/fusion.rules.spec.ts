import { expect, test } from 'vitest';
import { queryTerms } from '../../../search/collection.js';
import { buildSegment, openAllPostings, Segment } from '../../../search/segment.js';
import { fuse, locate, scoreNear } from './fusion.rules.js';
import type { OpenSegment } from './index/segment-loader.service.js';
import { groupByLanguage, rankTop } from './retrieval.rules.js';

const DAY = 20_000;
const texts = { car: 'the red car', sedan: 'a sedan', boat: 'a boat', lorry: 'one red lorry' };
const data = buildSegment(
  Object.entries(texts).map(([chunkId, text]) => ({ chunkId, text, day: DAY })),
  'simple',
);
const segment = Segment.open(data.header, data.digest);
const view: OpenSegment = {
  segment,
  tombstones: { dead: Uint8Array.of(0, 0, 1, 0), count: 1, length: 2 },
  postings: openAllPostings(segment, data),
  shard: {
    shardId: 'shard',
    tenantId: 'acme',
    corpusId: 'c',
    shareability: 'owner_only',
    language: 'simple',
    generation: 1,
    segments: [],
    tombstones: [],
  },
};
const groups = groupByLanguage([view], new Map([['simple', queryTerms(['red', 'car'])]]), DAY);
const { hits } = rankTop(groups, 10);
const near = (chunkId: string, similarity: number) => ({ ...locate(groups, 'acme', chunkId)!, similarity });

test('without near chunks the ranking by words stands', () => {
  expect(fuse(hits, [])).toEqual(hits);
});

test('the nearest get the weight times the best match of words, the least near nothing', () => {
  const best = hits[0]!.lexical;
  const places = [near('sedan', 0.9), near('lorry', 0.7), near('car', 0.5)];
  const fused = fuse(hits, scoreNear(hits[0], places, 0.5));
  const parts = Object.fromEntries(fused.map((hit) => [hit.chunkId, [hit.lexical, hit.vector]]));
  expect(parts.sedan).toEqual([0, 0.5 * best]);
  expect(parts.car).toEqual([best, 0]);
  expect(parts.lorry![1]).toBeCloseTo(0.25 * best);
  expect(fused.map(({ chunkId }) => chunkId)).toEqual(['car', 'lorry', 'sedan']);
  for (const hit of fused) expect(hit.score).toBe(hit.lexical + hit.vector + hit.recency + hit.laneWeight);
});

test('a withdrawn chunk, and one of another tenant, is nowhere', () => {
  expect(locate(groups, 'acme', 'boat')).toBeUndefined();
  expect(locate(groups, 'other', 'car')).toBeUndefined();
  expect(locate(groups, 'acme', 'sedan')?.ordinal).toBe(1);
});

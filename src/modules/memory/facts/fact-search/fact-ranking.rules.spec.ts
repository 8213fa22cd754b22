import { describe, expect, it } from 'vitest';
import { bindQuery, type Hit } from '../../../../search/collection.js';
import { searchAll } from '../../../../search/exhaustive.js';
import { VISIBILITY } from '../facts.types.js';
import { rankedAmong, rankedBlocks } from './fact-ranking.rules.js';
import type { FactToIndex } from './fact-segment.js';
import { seqOf, termsOf } from './fact-terms.rules.js';
import { TenantIndex } from './tenant-index.js';

const TODAY = 20_000;
const fact = (seq: number, value: string, members: Partial<FactToIndex> = {}): FactToIndex => ({
  ...{ seq, entity: 'e', key: 'k', value, day: TODAY, visibility: VISIBILITY.public, owner: '' },
  ...{ confidence: 1, horizonClass: 'durable', retires: null, isTombstone: false },
  ...members,
});

/** What a search of the facts reads. */
function search(query: string, ...runs: FactToIndex[][]) {
  const index = new TenantIndex();
  for (const run of runs) index.addTail(run);
  const terms = termsOf(query);
  const names = terms.map(({ term }) => term);
  const wanted = { withHistory: false, withReserved: false, names, today: TODAY };
  const views = index.views({ tenantId: 't', principal: '', seesAll: true }, wanted);
  return { views, query: bindQuery(views, terms, TODAY) };
}
const seqsOf = (hits: readonly Hit[]) => hits.map(({ chunkId }) => seqOf(chunkId));
const sizesOf = (blocks: Hit[][]) => blocks.map(({ length }) => length);

/** Facts of many scores, and many of each. */
const MANY = Array.from({ length: 3_000 }, (_, i) => fact(i + 1, `${'lemon '.repeat(1 + (i % 5))}tree${i % 7}`));
const many = search('lemon', MANY.slice(0, 1_000), MANY.slice(1_000));

describe('ranked blocks', () => {
  it.each([1, 3, 20, 1_024, 1_025, 5_000])('of %i hold every match once, in the one order of all', (limit) => {
    const blocks = [...rankedBlocks(many.views, many.query, limit)];
    expect(seqsOf(blocks.flat())).toEqual(seqsOf(searchAll(many.views, many.query)));
    expect(blocks.flat()).toHaveLength(MANY.length);
  });

  it('begin with what is wanted and grow', () => {
    const [first, ...rest] = sizesOf([...rankedBlocks(many.views, many.query, 20)]);
    expect(first).toBe(20);
    expect(rest.slice(0, -1).every((size, i) => size > [first!, ...rest][i]!)).toBe(true);
    expect(rest.length).toBeLessThan(8);
  });

  it('are empty where nothing matches', () => {
    const { views, query } = search('absent', [fact(1, 'lemon')]);
    expect([...rankedBlocks(views, query, 10)].flat()).toEqual([]);
    expect([...rankedAmong(views, query, 10, [1])]).toEqual([]);
  });

  it('have the later fact first among equals, and the surer one before all', () => {
    const { views, query } = search(
      'lemon',
      [fact(1, 'lemon'), fact(2, 'lemon', { confidence: 0.5 }), fact(3, 'lemon')],
      [fact(4, 'lemon', { confidence: 0.9 })],
    );
    const ranked = [3, 1, 4, 2];
    expect(seqsOf([...rankedBlocks(views, query, 10)].flat())).toEqual(ranked);
    expect(seqsOf([...rankedAmong(views, query, 10, [1, 2, 3, 4])].flat())).toEqual(ranked);
  });
});

describe('facts ranked among a few', () => {
  it('have the scores and the order that they have among all', () => {
    const seqs = Array.from({ length: 40 }, (_, i) => 1 + ((i * 733) % MANY.length));
    const among = [...rankedAmong(many.views, many.query, 7, seqs)].flat();
    const all = searchAll(many.views, many.query).filter(({ chunkId }) => seqs.includes(seqOf(chunkId)));
    const scored = (hits: Hit[]) => hits.map(({ chunkId, score }) => [seqOf(chunkId), score]);
    expect(scored(among)).toEqual(scored(all));
  });

  it('come in blocks of what is wanted, which grow', () => {
    const seqs = MANY.slice(0, 100).map(({ seq }) => seq);
    expect(sizesOf([...rankedAmong(many.views, many.query, 3, seqs)])).toEqual([3, 12, 48, 37]);
  });

  it('are none that are retired, that no segment has, or that do not match', () => {
    const { views, query } = search(
      'lemon',
      [fact(1, 'lemon'), fact(2, 'lemon'), fact(3, 'melon')],
      [fact(4, 'lime', { retires: 2 })],
    );
    expect(seqsOf([...rankedAmong(views, query, 10, [1, 2, 3, 4, 99])].flat())).toEqual([1]);
  });
});

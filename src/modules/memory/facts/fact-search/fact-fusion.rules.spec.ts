import { describe, expect, it } from 'vitest';
import type { Hit } from '../../../../search/collection.js';
import { fuseFacts } from './fact-fusion.rules.js';

const hitOf = (chunkId: string, lexical: number, factor = 1): Hit =>
  ({
    ...{ chunkId, ordinal: 0, lexical, vector: 0, recency: 0, laneWeight: 0, score: lexical * factor },
    view: { factorOf: () => factor },
  }) as unknown as Hit;
const ranks = (hits: Hit[]) => hits.map(({ chunkId, score }) => [chunkId, score]);

describe('the fusion of words and meaning', () => {
  it('without anything near is the ranking by words', () => {
    expect(ranks(fuseFacts([hitOf('a', 3), hitOf('b', 1)], [], 0.5))).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
  });

  it('adds what is near, scaled by the best match of words', () => {
    const near = [
      { hit: hitOf('c', 0), similarity: 0.9 },
      { hit: hitOf('b', 1), similarity: 0.8 },
      { hit: hitOf('d', 0), similarity: 0.7 },
    ];
    const ranked = fuseFacts([hitOf('a', 4), hitOf('b', 1)], near, 0.5);
    expect(ranks(ranked).map(([id, score]) => [id, Number(Number(score).toFixed(6))])).toEqual([
      ['a', 4],
      ['b', 2],
      ['c', 2],
      ['d', 0],
    ]);
  });

  it('takes of meaning what confidence takes of words', () => {
    const near = [
      { hit: hitOf('sure', 0), similarity: 0.9 },
      { hit: hitOf('unsure', 0, 0.5), similarity: 0.9 },
    ];
    expect(ranks(fuseFacts([], near, 0.5))).toEqual([
      ['sure', 0.5],
      ['unsure', 0.25],
    ]);
  });
});

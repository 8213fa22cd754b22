import { expect, it } from 'vitest';
import { rateWay } from './memory-measures.js';

it('averages recall, rank and tokens over the questions', () => {
  const answers = [
    { turns: ['a', 'b'], tokens: 10, sent: 100 },
    { turns: ['x', 'c'], tokens: 30, sent: 300 },
  ];
  const rated = rateWay(answers, [new Set(['a', 'z']), new Set(['c'])]);
  expect(rated).toEqual({ recall: 0.75, recall10: 0.75, ndcg10: expect.any(Number), tokens: 20, sent: 200 });
  expect(rated.ndcg10).toBeCloseTo((1 / (1 + 1 / Math.log2(3)) + 1 / Math.log2(3)) / 2, 10);
});

it('finds nothing in nothing', () => {
  expect(rateWay([{ turns: [], tokens: 0, sent: 0 }], [new Set(['a'])])).toEqual({
    recall: 0,
    recall10: 0,
    ndcg10: 0,
    tokens: 0,
    sent: 0,
  });
});

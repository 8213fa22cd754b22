import { describe, expect, it } from 'vitest';
import { documentsOf, mean, ndcg, quantile, recall } from './measures.js';

const grades = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 0],
  ['d', 2],
]);

describe('ndcg', () => {
  it('is 1 for the best order and falls with every gain that comes late', () => {
    expect(ndcg(['a', 'd', 'b', 'x'], grades, 10)).toBe(1);
    const ideal = 3 + 2 / Math.log2(3) + 1 / 2;
    expect(ndcg(['x', 'a', 'b'], grades, 10)).toBeCloseTo((3 / Math.log2(3) + 1 / 2) / ideal, 12);
  });

  it('looks at the first k only, in the ranking and in the ideal', () => {
    expect(ndcg(['x', 'a'], grades, 1)).toBe(0);
    expect(ndcg(['d'], grades, 1)).toBeCloseTo(2 / 3, 12);
  });

  it('is 0 when nothing is relevant', () => {
    expect(ndcg(['a'], new Map([['a', 0]]), 10)).toBe(0);
  });
});

describe('recall', () => {
  it('is the share of the relevant documents found', () => {
    expect(recall(['c', 'a', 'x', 'b'], grades, 2)).toBeCloseTo(1 / 3, 12);
    expect(recall(['c', 'a', 'x', 'b'], grades, 4)).toBeCloseTo(2 / 3, 12);
  });
});

it('ranks a document where its best passage is', () => {
  expect(documentsOf([{ docId: 'b' }, { docId: 'a' }, { docId: 'b' }])).toEqual(['b', 'a']);
});

it('takes quantiles by the nearest rank', () => {
  const sorted = Float64Array.from({ length: 100 }, (_, i) => i + 1);
  expect([0.5, 0.95, 0.99, 1].map((q) => quantile(sorted, q))).toEqual([50, 95, 99, 100]);
  expect(quantile([7], 0.5)).toBe(7);
  expect(quantile([], 0.5)).toBeNaN();
  expect(mean([1, 2, 6])).toBe(3);
});

import { expect, test } from 'vitest';
import { compare } from './pairs.js';

const slice = (done: number, seconds: number, failed = 0, processor?: number) => ({ done, seconds, failed, processor });

test('weighs each pair by what was done in it, and shows the single ratios', () => {
  const compared = compare('facts', [
    { before: slice(100, 2), after: slice(50, 2, 1) },
    { before: slice(1000, 2), after: slice(1050, 2) },
    { before: slice(900, 1, 2), after: slice(900, 1) },
  ]);
  expect(compared).toEqual({
    what: 'facts',
    pairs: 3,
    before: 400,
    after: 400,
    ratio: 1,
    lowest: 0.5,
    middle: 1,
    highest: 1.05,
    processor: undefined,
    failed: 3,
  });
});

test('compares the processor time of what was done', () => {
  const pair = { before: slice(100, 2, 0, 1), after: slice(200, 2, 0, 3) };
  expect(compare('facts', [pair, pair]).processor).toBeCloseTo(1.5, 12);
});

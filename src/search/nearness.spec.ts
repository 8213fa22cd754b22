import { expect, it } from 'vitest';
import { nearnessOf } from './nearness.js';

it('nearness is 1 for the nearest, 0 for the least near, and in between as the cosines are', () => {
  expect(nearnessOf([0.75, 0.5, 0.25])).toEqual([1, 0.5, 0]);
  expect(nearnessOf([-0.5, -1])).toEqual([1, 0]);
});

it('nearness is 1 for all that are equally near, and for one alone', () => {
  expect(nearnessOf([0.5, 0.5])).toEqual([1, 1]);
  expect(nearnessOf([-0.2])).toEqual([1]);
  expect(nearnessOf([])).toEqual([]);
});

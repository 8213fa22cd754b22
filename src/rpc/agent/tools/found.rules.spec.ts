import { expect, it } from 'vitest';
import { interleave, linesOf } from './found.rules.js';

it('takes both lists in turn, each in its own order', () => {
  expect(interleave([1, 2, 3], [10])).toEqual([1, 10, 2, 3]);
  expect(interleave([], [10, 20])).toEqual([10, 20]);
});

it('has the lines whose condition holds, after an empty one', () => {
  expect(linesOf({ a: true, b: false, c: true })).toEqual(['', 'a', 'c']);
  expect(linesOf({ a: false })).toEqual([]);
});

import { expect, it } from 'vitest';
import { asAddressHolds, interleave, linesOf } from './found.rules.js';

it('takes both lists in turn, each in its own order', () => {
  expect(interleave([1, 2, 3], [10])).toEqual([1, 10, 2, 3]);
  expect(interleave([], [10, 20])).toEqual([10, 20]);
});

it('has the lines whose condition holds, after an empty one', () => {
  expect(linesOf({ a: true, b: false, c: true })).toEqual(['', 'a', 'c']);
  expect(linesOf({ a: false })).toEqual([]);
});

it.each([
  ['letters', 'light '.repeat(2000), 4096],
  ['pairs that the cut falls into', `x${'🗼'.repeat(3000)}`, 1365],
  ['signs that an address writes at length', '灯'.repeat(9000), 910],
])('asks for facts with as much of a question as an address holds: %s', (_, query, length) => {
  const text = asAddressHolds(query);
  expect(text).toHaveLength(length);
  expect(encodeURIComponent(text).length).toBeLessThan(8193);
  expect(asAddressHolds('When was it lit? 🗼')).toBe('When was it lit? 🗼');
});

import { expect, test } from 'vitest';
import { TermTable } from './term-table.js';

test('finds each term at its place, and none that it does not have', () => {
  const terms = Array.from({ length: 5000 }, (_, i) => `term${i.toString(36)}`).sort();
  const table = new TermTable(terms);
  expect(terms.map((term) => table.placeOf(term))).toEqual([...terms.keys()]);
  expect(['', 'term', 'zebra', 'Größe'].map((term) => table.placeOf(term))).toEqual(Array(4).fill(undefined));
});

test('of no terms it has none', () => {
  expect(new TermTable([]).placeOf('')).toBeUndefined();
});

import { expect, test } from 'vitest';
import { TermTable } from './term-table.js';

function tableOf(terms: readonly string[]): TermTable {
  const sizes = terms.map((term) => Buffer.byteLength(term));
  const ends = Uint32Array.from(sizes);
  for (let place = 1; place < ends.length; place++) ends[place]! += ends[place - 1]!;
  const starts = ends.map((end, place) => end - sizes[place]!);
  return new TermTable(Buffer.from(terms.join('')), starts, ends);
}

test('finds each term at its place, and none that it does not have', () => {
  const terms = Array.from({ length: 5000 }, (_, i) => `term${i.toString(36)}`).sort();
  const table = tableOf(terms);
  expect(terms.map((term) => table.placeOf(term))).toEqual([...terms.keys()]);
  expect(['', 'term', 'zebra', 'Größe'].map((term) => table.placeOf(term))).toEqual(Array(4).fill(undefined));
});

test('has terms of any letters', () => {
  const terms = ['', 'Größe', '東京', '𝄞', 'x'.repeat(170), '東'.repeat(171), 'y'.repeat(3_000)];
  const table = tableOf(terms);
  expect(terms.map((_, place) => table.termAt(place))).toEqual(terms);
  expect(terms.map((term) => table.placeOf(term))).toEqual([...terms.keys()]);
});

test('of no terms it has none', () => {
  expect(tableOf([]).placeOf('')).toBeUndefined();
});

import { expect, it } from 'vitest';
import { SpanTable } from './span-table.js';

const TEXT = 'the cat and the dog and the cat';

it('a table numbers stretches in the order in which they are added, and the same text by the same number', () => {
  const table = new SpanTable();
  expect(table.add(TEXT, 0, 3)).toBe(0);
  expect(table.add(TEXT, 4, 7)).toBe(1);
  expect(table.add(TEXT, 12, 15)).toBe(0);
  expect(table.size).toBe(2);
  expect(table.find(TEXT, 24, 27)).toBe(0);
  expect(table.find('a cat', 2, 5)).toBe(1);
});

it('a table keeps stretches apart by where they begin and end', () => {
  const table = new SpanTable();
  table.add(TEXT, 0, 7);
  expect(table.find(TEXT, 0, 3)).toBeUndefined();
  expect(table.find(TEXT, 0, 8)).toBeUndefined();
  expect(table.find(TEXT, 24, 31)).toBe(0);
});

it('a table finds each of many stretches after it has grown, whatever their code units are', () => {
  const table = new SpanTable();
  const words = Array.from({ length: 40_000 }, (_, number) => `${number.toString(36)}é🙂\u0000`);
  words.forEach((word) => table.add(`<${word}>`, 1, word.length + 1));
  expect(words.map((word) => table.find(word, 0, word.length))).toEqual([...words.keys()]);
  expect(table.find('never', 0, 5)).toBeUndefined();
});

it('a table is empty once it is cleared', () => {
  const table = new SpanTable();
  table.add(TEXT, 0, 3);
  table.clear();
  expect([table.size, table.find(TEXT, 0, 3)]).toEqual([0, undefined]);
  expect(table.add(TEXT, 4, 7)).toBe(0);
});

import { describe, expect, it } from 'vitest';
import { batchesOf, isUsablePath, LeftOutList, SCAN_LIMITS } from './workspace-scan.rules.js';

describe('batches of files', () => {
  const file = (path: string, bytes: number) => ({ path, bytes });
  const sizesOf = (files: { path: string; bytes: number }[]) => [...batchesOf(files)].map((batch) => batch.length);

  it('are bounded in number and in bytes, and lose none', () => {
    const small = Array.from({ length: 450 }, (_, number) => file(`f${number}`, 10));
    expect(sizesOf(small)).toEqual([200, 200, 50]);
    expect([...batchesOf(small)].flat()).toEqual(small);
    const MIB = 1024 * 1024;
    expect(sizesOf(Array.from({ length: 10 }, (_, number) => file(`f${number}`, MIB)))).toEqual([4, 4, 2]);
  });

  it('count a large file as what is read of it at most', () => {
    expect(sizesOf([file('a', 1), file('b', 1), file('c', 10 * 2 ** 30)])).toEqual([2, 1]);
    expect(sizesOf([])).toEqual([]);
  });
});

it('what is left out is counted by reason, with the first five paths', () => {
  const list = new LeftOutList();
  for (let number = 0; number < 7; number += 1) list.add('ignored', `f${number}`);
  list.add('no_file', 'pipe');
  list.add('file_too_large', 'large');
  expect(list.list()).toEqual([
    { reason: 'file_too_large', count: 1, examples: ['large'] },
    { reason: 'ignored', count: 7, examples: ['f0', 'f1', 'f2', 'f3', 'f4'] },
    { reason: 'no_file', count: 1, examples: ['pipe'] },
  ]);
});

it('a path is usable where it is UTF-8 and fits into a key', () => {
  const { pathBytes } = SCAN_LIMITS;
  expect(['a b', 'ü/\u4e16', 'a'.repeat(pathBytes)].every(isUsablePath)).toBe(true);
  expect(['a\uFFFD', '\ud800', 'a'.repeat(pathBytes + 1), 'ü'.repeat(pathBytes / 2 + 1)].some(isUsablePath)).toBe(
    false,
  );
});

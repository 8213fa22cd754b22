import { describe, expect, it } from 'vitest';
import { diffLists, diffTexts } from './text-diff.js';

const joined = (parts: { kind: string; text: string }[], without: string) =>
  parts
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');

describe('two texts', () => {
  it('are compared word by word', () => {
    expect(diffTexts('the port is 80', 'the port is 8080')).toEqual([
      { kind: 'same', text: 'the port is ' },
      { kind: 'removed', text: '80' },
      { kind: 'added', text: '8080' },
    ]);
  });

  it.each([
    ['', ''],
    ['', 'new'],
    ['old', ''],
    ['a b  c\n', 'a c\n\nd'],
    ['same', 'same'],
  ])('give both back: %j and %j', (before, after) => {
    const parts = diffTexts(before, after);
    expect([joined(parts, 'added'), joined(parts, 'removed')]).toEqual([before, after]);
  });

  it('with nothing in common are shown whole, and soon', () => {
    const [before, after] = ['a', 'b'].map((word) => Array.from({ length: 50_000 }, (_, i) => `${word}${i}`).join('-'));
    const began = performance.now();
    const parts = diffTexts(before!, after!);
    expect([joined(parts, 'added'), joined(parts, 'removed')]).toEqual([before, after]);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

it('two lists are compared by the ids of their items', () => {
  const before = [
    { id: 'a', text: 'one' },
    { id: 'b', text: 'two' },
    { id: 'c', text: 'three' },
  ];
  const after = [
    { id: 'd', text: 'four' },
    { id: 'c', text: 'three' },
    { id: 'b', text: 'two more' },
  ];
  const { added, removed, changed, unchanged } = diffLists(before, after);
  expect([added, removed, unchanged]).toEqual([[after[0]], [before[0]], 1]);
  expect(changed).toMatchObject([{ id: 'b', before: 'two', after: 'two more' }]);
});

import { describe, expect, it } from 'vitest';
import { countKinds, rootNamesOf } from './blast-radius.rules.js';

describe('the root of a walk', () => {
  it('is a document by every way to divide its name, with or without the prefix of an entity', () => {
    const divided = [
      ['a', 'a/b'],
      ['b/c', 'c'],
    ];
    expect(rootNamesOf('document', 'a/b/c')).toEqual(divided);
    expect(rootNamesOf('document', 'document:a/b/c')).toEqual(divided);
  });

  it('is no fact where it is no UUID', () => {
    expect(rootNamesOf('fact', 'x')).toEqual([[]]);
    expect(rootNamesOf('fact', '0198C1DE-6F1E-7C3A-9A53-2F4E1F0B7C11')).toEqual([
      ['0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11'],
    ]);
  });

  it('is a receipt of either family', () => {
    const digest = 'ab'.repeat(32);
    expect(rootNamesOf('receipt', `blake3:${digest}`)).toEqual([[], [Buffer.from(digest, 'hex')]]);
    expect(rootNamesOf('receipt', 'blake3:12')).toEqual([[], []]);
  });
});

it('kinds are counted', () => {
  expect(countKinds([{ kind: 'fact' }, { kind: 'answer' }, { kind: 'fact' }])).toEqual({ fact: 2, answer: 1 });
});

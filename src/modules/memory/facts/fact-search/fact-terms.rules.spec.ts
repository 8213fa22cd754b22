import { describe, expect, it } from 'vitest';
import { chunkIdOf, seqOf, termsOf, toChunk } from './fact-terms.rules.js';

const terms = (query: string) => termsOf(query).map(({ term }) => term);

describe('the terms of a query', () => {
  it('are the words of identifiers too', () => {
    expect(terms('user:alice_smith')).toEqual(['alic', 'smith', 'user']);
    expect(terms('preferredEditorTheme')).toEqual(['editor', 'prefer', 'preferrededitorthem', 'theme']);
    expect(terms('HTTPServer.maxRetries')).toEqual(
      expect.arrayContaining(['http', 'server', 'httpserver', 'max', 'retri']),
    );
  });

  it('are none where there are only stop words and signs', () => {
    expect(terms('the and of')).toEqual([]);
    expect(terms(' ?! \u0000 -- ')).toEqual([]);
    expect(terms('')).toEqual([]);
  });

  it('are found in any script', () => {
    expect(terms('Straße ÉTÉ')).toHaveLength(2);
    expect(terms('東京タワー').length).toBeGreaterThan(1);
    expect(terms('🦄')).toEqual([]);
  });
});

describe('the id of a fact in the engine', () => {
  it('gives the seq back', () => {
    for (const seq of [1, 36, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) expect(seqOf(chunkIdOf(seq))).toBe(seq);
  });

  it('puts later facts first among equals', () => {
    expect([3, 1, 2 ** 40, 2].map(chunkIdOf).sort().map(seqOf)).toEqual([2 ** 40, 3, 2, 1]);
  });
});

it('indexes a bounded part of a value', () => {
  const { text } = toChunk({ seq: 1, entity: 'e', key: 'k', value: 'word '.repeat(100_000), day: 1 });
  expect(text.length).toBeLessThan(70_000);
});

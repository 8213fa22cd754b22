import { describe, expect, it } from 'vitest';
import { analyzerFor } from './analysis.js';
import { queryTerms } from './collection.js';
import { synonymsOf, synonymTerms } from './synonyms.js';
import { relatedWords } from './wordnet.js';

const asked = (query: string) => queryTerms(analyzerFor('english').analyze(query));
const added = (query: string, has: (term: string) => boolean) =>
  synonymTerms(asked(query), synonymsOf(query, 'english'), has);

describe('words related to a word', () => {
  it.each([
    ['salary', 'wage', 1],
    ['salaries', 'wage', 1],
    ['purchasing', 'buy', 1],
    ['vacation', 'holiday', 1],
    ['dog', 'canine', 0.5],
    ['arrive', 'arrival', 0.7],
  ])('%s: %s, as near as %d', (word, related, nearness) => {
    expect(relatedWords(word).get(related)).toBe(nearness);
  });

  it('are none of what is no English word', () => {
    for (const word of ['xqzt', '', ' ', 'a'.repeat(5_000), '1 This', "o'", 'ü', '__proto__'])
      expect(relatedWords(word).size, word).toBe(0);
  });

  it('finds the first and the last word of each file', () => {
    for (const word of ["'hood", 'zyrian', 'zoom', 'zymotic', 'zigzag', 'aback'])
      expect(relatedWords(word).size, word).toBeGreaterThan(0);
  });
});

describe('terms that are added to a query', () => {
  it('are those that the collection has, as expansion', () => {
    expect(added('when does the salary come', (term) => term === 'wage')).toEqual([
      { term: 'wage', weight: 0.5, expansion: true },
    ]);
  });

  it('weigh less the more of them a word has', () => {
    const two = added('salary', (term) => ['wage', 'pay'].includes(term));
    expect(two.map(({ term }) => term).sort()).toEqual(['pay', 'wage']);
    expect(two.map(({ weight }) => weight)).toEqual([0.5 / Math.SQRT2, 0.5 / Math.SQRT2]);
  });

  it('are no words of the query, and each once', () => {
    const terms = added('wage salary pay', () => true).map(({ term }) => term);
    expect(terms).not.toContain('wage');
    expect(new Set(terms).size).toBe(terms.length);
  });

  it('are at most 24 a word', () => {
    expect(added('break', () => true)).toHaveLength(24);
  });

  it('are none for stop words, for signs, and in other languages', () => {
    expect(added('what is it', () => true)).toEqual([]);
    expect(added('??? 42', () => true)).toEqual([]);
    expect(synonymsOf('salary', 'german')).toEqual([]);
  });
});

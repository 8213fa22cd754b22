import { describe, expect, it } from 'vitest';
import { analyzerFor } from './analysis.js';
import { rankTexts, scoreTexts } from './few-texts.js';

const english = analyzerFor('english');
const ITEMS = [
  { id: 'a', text: 'The gate is closed at night.' },
  { id: 'b', text: 'Close the gate, then close the window.' },
  { id: 'c', text: 'Water the garden.' },
];
const rank = (query: string, near: Record<string, number> = {}) =>
  rankTexts(english, query, ITEMS, new Map(Object.entries(near)));

describe('a few texts', () => {
  it('are ranked by their words, rare ones more, repeated ones less each time', () => {
    expect(rank('close')).toEqual(['b', 'a']);
    expect(rank('gate window')).toEqual(['b', 'a']);
    const [once, twice, none] = scoreTexts(english, 'apple', ['apple pear plum', 'apple apple plum', 'pear']);
    expect(none).toBe(0);
    expect(twice! / once!).toBeGreaterThan(1);
    expect(twice! / once!).toBeLessThan(2);
  });

  it('are found by meaning too, below the best match of words', () => {
    expect(rank('close', { c: 0.1 })).toEqual(['b', 'a', 'c']);
    expect(rank('close', { c: 0.5 })[0]).toBe('b');
    expect(rank('meadow', { c: 0.5, a: 0 })).toEqual(['c']);
    expect(rank('window', { c: 0.5 })[0]).toBe('b');
  });

  it('are not found by stop words, and none are among none', () => {
    expect(rank('the and')).toEqual([]);
    expect(rankTexts(english, 'gate', [], new Map())).toEqual([]);
  });
});

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
  it('are ranked by their words, rare ones more, repeated ones less each time', async () => {
    expect(await rank('close')).toEqual(['b', 'a']);
    expect(await rank('gate window')).toEqual(['b', 'a']);
    const [once, twice, none] = scoreTexts(english, 'apple', ['apple pear plum', 'apple apple plum', 'pear']);
    expect(none).toBe(0);
    expect(twice! / once!).toBeGreaterThan(1);
    expect(twice! / once!).toBeLessThan(2);
  });

  it('are found by meaning too, below the best match of words', async () => {
    expect(await rank('close', { c: 0.1 })).toEqual(['b', 'a', 'c']);
    expect((await rank('close', { c: 0.5 }))[0]).toBe('b');
    expect(await rank('meadow', { c: 0.5, a: 0 })).toEqual(['c']);
    expect((await rank('window', { c: 0.5 }))[0]).toBe('b');
  });

  it('are not found by stop words, and none are among none', async () => {
    expect(await rank('the and')).toEqual([]);
    expect(await rankTexts(english, 'gate', [], new Map())).toEqual([]);
  });

  it('let others have their turn meanwhile, however long they are', async () => {
    const long = Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, text: `gate${n} window `.repeat(4_000) }));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const begun = performance.now();
    expect(await rankTexts(english, 'gate7', long, new Map())).toEqual(['7']);
    const took = performance.now() - begun;
    clearInterval(timer);
    expect(Math.max(longest, performance.now() - last)).toBeLessThan(took / 2);
  });
});

import { describe, expect, it } from 'vitest';
import { bestOf, candidatesFor } from './passage-places.rules.js';

const passage = (ordinal: number, headings: string, text: string) => ({
  chunkId: `${headings}/${text}`,
  ordinal,
  headingPath: headings === '' ? [] : headings.split('/'),
  contentHash: text,
});
const idsOf = (found: { chunkId: string; isSamePlace: boolean }[]) =>
  found.map(({ chunkId, isSamePlace }) => [chunkId, isSamePlace]);

describe('candidates for the place of a passage', () => {
  const old = [passage(0, 'A', 'one'), passage(1, 'B', 'two'), passage(2, 'C', 'three')];

  it('are the passages under its headings, nearest first, without those that both versions have', () => {
    const now = [passage(0, 'New', 'x'), passage(1, 'A', 'one'), passage(2, 'B', 'five'), passage(3, 'B', 'four')];
    expect(idsOf(candidatesFor(old[1]!, old, now))).toEqual([
      ['B/five', true],
      ['B/four', true],
    ]);
  });

  it('are those about as far into the document where its headings are gone', () => {
    const now = [passage(0, 'A', 'one'), passage(1, 'Other', 'x'), passage(2, 'C', 'three'), passage(9, 'Far', 'y')];
    expect(idsOf(candidatesFor(old[1]!, old, now))).toEqual([['Other/x', false]]);
  });

  it('are the text itself where it stands elsewhere', () => {
    const now = [passage(0, 'B', 'new'), passage(7, 'Moved', 'two')];
    expect(idsOf(candidatesFor(old[1]!, old, now))).toEqual([['Moved/two', true]]);
  });

  it('are at most twelve, and none where the document is gone', () => {
    const now = Array.from({ length: 40 }, (_, ordinal) => passage(ordinal, 'B', `new ${ordinal}`));
    expect(candidatesFor(old[1]!, old, now)).toHaveLength(12);
    expect(candidatesFor(old[1]!, old, [])).toEqual([]);
  });
});

describe('the best candidate', () => {
  const under = (content: string) => ({ content, isSamePlace: true });
  const near = (content: string) => ({ content, isSamePlace: false });

  it('has most words in common, whatever their case and punctuation', () => {
    const best = bestOf('Leave is 28 days.', [under('Parking is free.'), under('LEAVE: is 30 days')]);
    expect(best?.content).toBe('LEAVE: is 30 days');
  });

  it('is the first of equal ones, also of those that have no word in common', () => {
    expect(bestOf('alpha', [under('beta'), under('gamma')])?.content).toBe('beta');
    expect(bestOf('…', [under('…')])?.content).toBe('…');
  });

  it('is none under other headings with hardly a word in common', () => {
    expect(bestOf('Leave is 28 days.', [near('Parking is free for all.')])).toBeNull();
    expect(bestOf('Leave is 28 days.', [near('Leave is 30 days.')])?.content).toBe('Leave is 30 days.');
    expect(bestOf('Leave is 28 days.', [])).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { CountedCandidate } from './context.types.js';
import { itemsOf, piecesOf } from './excerpts.rules.js';

const texts = (text: string) => piecesOf(text).map(({ start, end }) => text.slice(start, end));

describe('the pieces of a passage', () => {
  it('are its lines, without the white space around them', () => {
    expect(texts('Ada: Hello. How are you?\r\n\n  Bob: Fine.\t\n')).toEqual(['Ada: Hello. How are you?', 'Bob: Fine.']);
  });

  it('are the sentences of long lines', () => {
    const long = `Never deploy on Fridays. ${'Except after a long talk with the night crew about it. '.repeat(12)}`;
    expect(texts(long)).toHaveLength(13);
    expect(texts(long)[0]).toBe('Never deploy on Fridays.');
  });

  it('leave out nothing but white space, however many there are', () => {
    const text = Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n');
    expect(piecesOf(text)).toHaveLength(64);
    expect(texts(text).join('\n')).toBe(text);
  });

  it('are none of white space', () => {
    expect(piecesOf(' \n\t\n')).toEqual([]);
  });
});

describe('the items of an assembly', () => {
  const text = 'one\ntwo\nthree\nfour';
  const pieces = piecesOf(text).map((span) => ({ ...span, worth: 1, tokens: 1 }));
  const passage: CountedCandidate = {
    ...{ kind: 'passages', id: 'p', hash: 'h', text, score: 1, why: 'passage 1 for the task', tokens: 4, pieces },
  };
  const taking = (...at: number[]) => itemsOf(at.map((place) => ({ item: passage, piece: pieces[place]! })));

  it('show the pieces that were taken in their order, what stands together as one, and where others are left out', () => {
    expect(taking(3, 0, 1)).toMatchObject([
      {
        text: 'one\ntwo …\nfour',
        why: 'parts of passage 1 for the task',
        spans: [
          { start: 0, end: 7 },
          { start: 14, end: 18 },
        ],
      },
    ]);
    expect(taking(1)).toMatchObject([{ text: '… two …' }]);
  });

  it('are whole where all pieces were taken', () => {
    const [item] = taking(2, 1, 0, 3);
    expect(item).toMatchObject({ text, why: 'passage 1 for the task' });
    expect(item).not.toHaveProperty('spans');
  });

  it('stand where something of each was chosen first', () => {
    const fact: CountedCandidate = { kind: 'facts', id: 'f', hash: 'h', text: 'x', score: 1, why: 'w', tokens: 1 };
    const chosen = [{ item: passage, piece: pieces[0]! }, { item: fact }, { item: passage, piece: pieces[2]! }];
    expect(itemsOf(chosen).map(({ id }) => id)).toEqual(['p', 'f']);
  });
});

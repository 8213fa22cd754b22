import { describe, expect, it } from 'vitest';
import { analyzerFor } from '../../../search/analysis.js';
import { asks, Asked, nameOf, shareFor, worthOfPieces } from './relevance.rules.js';

const asked = (task: string) => new Asked(analyzerFor('english'), task);
const orderOf = (task: string, ...pieces: string[]) => {
  const [worth] = worthOfPieces(asked(task), [{ score: 1, pieces }]);
  return pieces.map((_, i) => i).sort((a, b) => worth![b]! - worth![a]!);
};

it('a question ends with its mark, whatever is quoted or in brackets after it', () => {
  for (const text of ['Why?', '“Why?”', 'Why?  ', 'Warum？', 'Why? [image: a dog]'])
    expect([text, asks(text)]).toEqual([text, true]);
  for (const text of ['Why? Because.', '', 'a?b', '[image: what?]']) expect([text, asks(text)]).toEqual([text, false]);
});

it('neighbours get less with the distance, and more right after a question', () => {
  expect([-3, -2, -1, 1, 2, 3, 4].map((distance) => shareFor(distance, false))).toEqual([
    0.1, 0.3, 0.5, 0.5, 0.3, 0.1, 0,
  ]);
  expect([-1, 1, 2].map((distance) => shareFor(distance, true))).toEqual([0.5, 0.75, 0.3]);
});

it('the name of an entity is its last part', () => {
  expect(['speaker:Ada', 'a/b:people/ada', 'shop'].map(nameOf)).toEqual(['Ada', 'ada', 'shop']);
});

describe('a factor', () => {
  it('is more for whom the task names, less for what only asks', () => {
    const task = asked('What did Ada Byron buy?');
    expect(task.factorFor('Ada', 'A loom.')).toBe(1.5);
    expect(task.factorFor('Ada Byron', 'A loom.')).toBe(1.5);
    expect(task.factorFor('Ada Smith', 'A loom.')).toBe(1);
    expect(task.factorFor(undefined, 'A loom?')).toBe(0.7);
    expect(task.factorFor('', 'A loom.')).toBe(1);
  });
});

describe('pieces', () => {
  it('are worth their words, and what they stand next to: after a question most', () => {
    expect(
      orderOf('wombat', 'Nothing.', 'Where is the wombat?', 'Behind the mill.', 'Far.', 'Farther.', 'Off.'),
    ).toEqual([2, 1, 0, 3, 4, 5]);
  });

  it('said by whom the task names come first', () => {
    expect(orderOf('What loom did Ada buy?', 'Bob: I have a loom.', 'x', 'x', 'x', 'Ada: I have a loom.')[0]).toBe(4);
  });

  it('get a share of their passage, so that one found by meaning alone comes in', () => {
    const worth = worthOfPieces(asked('wombat'), [
      { score: 1, pieces: ['nothing', 'of it'] },
      { score: 2, pieces: ['here'] },
      { score: -1, pieces: [] },
    ]);
    expect(worth).toEqual([[0.25, 0.25], [1], []]);
  });

  it('of nothing are worth nothing', () => {
    expect(worthOfPieces(asked(''), [])).toEqual([]);
  });
});

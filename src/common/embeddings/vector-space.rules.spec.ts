import { describe, expect, it } from 'vitest';
import { isAsWanted, nameOf } from './vector-space.rules.js';
import type { VectorSpace } from './vector-space.types.js';

const WANTED = { model: 'm', askedDimensions: null, queryPrefix: 'q: ', passagePrefix: '', inputTokens: 8000 };
const SPACE: VectorSpace = { ...WANTED, spaceId: 1, name: 'm', dimensions: 8, state: 'serving' };

describe('whether a space is as the settings ask', () => {
  it.each([
    [{}, 8, true],
    [{}, undefined, true],
    [{ dimensions: null }, 5, true],
    [{ queryPrefix: 'other' }, 8, true],
    [{}, 5, false],
    [{ model: 'n' }, 8, false],
    [{ askedDimensions: 8 }, 8, false],
    [{ passagePrefix: 'p: ' }, 8, false],
    [{ inputTokens: 512 }, 8, false],
  ])('%j, answered %s: %s', (members, answered, expected) => {
    expect(isAsWanted({ ...SPACE, ...members }, WANTED, answered)).toBe(expected);
  });
});

describe('the name of a space', () => {
  it.each([
    [WANTED, [], 'm'],
    [WANTED, ['m'], 'm#2'],
    [WANTED, ['m', 'm#3'], 'm#4'],
    [{ ...WANTED, passagePrefix: 'p' }, [], 'm#1'],
    [{ ...WANTED, askedDimensions: 4 }, [], 'm#1'],
  ])('%j with %j taken: %s', (wanted, taken, name) => {
    expect(nameOf(wanted, taken)).toBe(name);
  });
});

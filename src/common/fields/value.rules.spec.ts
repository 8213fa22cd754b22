import { describe, expect, it } from 'vitest';
import {
  atLeast,
  atMost,
  bounded,
  each,
  IS_EMAIL,
  IS_FLAG,
  IS_INTEGER,
  IS_LIST,
  IS_NUMBER,
  IS_OBJECT,
  IS_TEXT,
  IS_UUID,
  isOneOf,
  matches,
  maxItems,
  maxLength,
  minItems,
  minLength,
  type ValueRule,
} from './value.rules.js';

const UUID = '5f0c9a4e-1d2b-4c3a-8e7f-6a5b4c3d2e1f';
/** Two and three units of UTF-16 that are one character. */
const FACE = '😀';
const CHOSEN_FACE = '😀\uFE0F';

describe('the rules of values', () => {
  it.each<[string, ValueRule, unknown[], unknown[]]>([
    ['must be a string', IS_TEXT, ['', 'a'], [1, null, undefined, ['a']]],
    ['must be a UUID', IS_UUID, [UUID, UUID.toUpperCase()], ['', `${UUID}0`, null, [UUID]]],
    ['must be an email', IS_EMAIL, ['ada@example.com'], ['ada', 'ada@example', 5, undefined]],
    ['must be an integer number', IS_INTEGER, [0, -0, 1e21], [1.5, NaN, Infinity, '1', null]],
    ['must be a number conforming to the specified constraints', IS_NUMBER, [0, 1.5], [NaN, -Infinity, '1', 1n]],
    ['must be a boolean value', IS_FLAG, [true, false], [0, 'true', null]],
    ['must be an object', IS_OBJECT, [{}, new Date()], [null, [], 'a', undefined]],
    ['must be an array', IS_LIST, [[], [[]]], [{}, 'a', null, { length: 1 }]],
    ['must not be less than 2', atLeast(2), [2, Infinity], [1, NaN, '2', null]],
    ['must not be greater than 2', atMost(2), [2, -0], [3, NaN, '2', null]],
    ['must contain at least 1 elements', minItems(1), [[1]], [[], 'a', null]],
    ['must contain no more than 1 elements', maxItems(1), [[], [1]], [[1, 2], 'a', null]],
    ['must be one of the following values: a, b', isOneOf(['a', 'b']), ['a'], ['c', null, ['a'], undefined]],
    ['must match /^a$/g regular expression', matches(/^a$/g), ['a', 'a'], ['ab', 5, null]],
    ['must be a', matches(/^a$/, 'must be a'), ['a'], ['b']],
  ])('%s', (fault, { isKept, faultOf }, kept, broken) => {
    expect(faultOf('size')).toBe(`size ${fault}`);
    expect(kept.map(isKept)).toEqual(kept.map(() => true));
    expect(broken.map(isKept)).toEqual(broken.map(() => false));
  });

  it('count characters, not units of UTF-16', () => {
    const lengths = [FACE, CHOSEN_FACE, 'aaaa'].map((text) =>
      [minLength(3), maxLength(3)].map((one) => one.isKept(text)),
    );
    expect(lengths).toEqual([
      [false, true],
      [false, true],
      [true, false],
    ]);
    for (const text of [FACE, CHOSEN_FACE, 'a', 'a\uFE0F']) {
      expect([2, 3, 4].map((count) => minLength(3).isKept(text.repeat(count)))).toEqual([false, true, true]);
      expect([2, 3, 4].map((count) => maxLength(3).isKept(text.repeat(count)))).toEqual([true, true, false]);
    }
    expect([minLength(0), maxLength(9)].map(({ isKept }) => isKept(5))).toEqual([false, false]);
  });

  it('hold for each item of a list, or for the one value that is none', () => {
    const { isKept, faultOf } = each(IS_TEXT);
    expect([[], ['a'], 'a', ['a', 5], [['a']], null].map(isKept)).toEqual([true, true, true, false, false, false]);
    expect(faultOf('words')).toBe('each value in words must be a string');
  });

  it('are made for the bounds that are given', () => {
    const made = bounded([atLeast, 0], [atMost, undefined], [minLength, 2]);
    expect(made.map(({ faultOf }) => faultOf('size'))).toEqual([
      'size must not be less than 0',
      'size must be longer than or equal to 2 characters',
    ]);
  });
});

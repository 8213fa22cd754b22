import { describe, expect, it } from 'vitest';
import { isUuid } from '../../../common/ids/uuid-form.js';
import {
  beforeBudgetEnds,
  newFactId,
  ownerOf,
  prefixRange,
  roundsOf,
  visibilityOf,
  withinBudget,
  shortestFloat,
} from './facts.rules.js';
import type { FactDraft } from './facts.types.js';

describe('who sees a fact', () => {
  it.each([
    ['user:1', false, 0],
    ['user:1', true, 1],
    ['__x', false, 2],
    ['_x', false, 0],
    ['svc:', false, 2],
    ['layer:x', true, 2],
    ['Layer:x', false, 0],
    ['storybook:x', false, 2],
    ['dossier:x', false, 2],
  ])('%s, private %s: %i', (entity, isPrivate, visibility) => {
    expect(visibilityOf(entity, isPrivate)).toBe(visibility);
  });

  it('is a name that any principal has, of bounded length', () => {
    expect(ownerOf('passport:ada')).toBe('passport:ada');
    for (const odd of ['sub:'.padEnd(300, 'x'), 'sub:\0', 'sub:\ud800'])
      expect(ownerOf(odd)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('the rounds of a batch', () => {
  it('hold each chain once, in the order of its facts', () => {
    const draft = (owner: string, entity: string, key: string, value: string) =>
      ({ owner, entity, key, value }) as FactDraft;
    const rounds = roundsOf([
      draft('', 'a', 'bc', '1'),
      draft('', 'ab', 'c', '2'),
      draft('', 'a', 'bc', '3'),
      draft('p', 'a', 'bc', '4'),
      draft('', 'a', 'bc', '5'),
    ]);
    expect(rounds.map((round) => round.map(({ value }) => value))).toEqual([['1', '2', '4'], ['3'], ['5']]);
    expect(rounds.map((round) => round.map(({ place }) => place))).toEqual([[1, 2, 4], [3], [5]]);
    expect(roundsOf([])).toEqual([]);
  });
});

describe('a budget of tokens', () => {
  const facts = [3, 5, 1].map((tokens) => ({ tokens }));
  it('takes what fits, or everything before the first that does not', () => {
    expect(withinBudget(facts, 4)).toEqual([{ tokens: 3 }, { tokens: 1 }]);
    expect(beforeBudgetEnds(facts, 4)).toEqual([{ tokens: 3 }]);
    for (const take of [withinBudget, beforeBudgetEnds]) {
      expect(take(facts, undefined)).toEqual(facts);
      expect(take(facts, 9)).toEqual(facts);
      expect(take(facts, 0)).toEqual([]);
    }
  });
});

describe('the range of a prefix', () => {
  it.each([
    ['user:', 'user:', 'user;'],
    ['', '', undefined],
    ['a\u{10ffff}', 'a\u{10ffff}', 'b'],
    ['\u{10ffff}', '\u{10ffff}', undefined],
    ['\ud7ff', '\ud7ff', '\ue000'],
    ['🗝', '🗝', '🗞'],
    ['x'.repeat(300), 'x'.repeat(200), `${'x'.repeat(199)}y`],
  ])('%s', (prefix, from, until) => {
    expect(prefixRange(prefix)).toEqual({ from, until });
  });
});

describe('the id of a fact', () => {
  it('is a UUID of version 7 that grows with time', async () => {
    const [first, second] = [newFactId(), newFactId()];
    for (const id of [first, second]) expect([isUuid(id), id[14], '89ab'.includes(id[19]!)]).toEqual([true, '7', true]);
    expect(first).not.toBe(second);
    expect(parseInt(first.slice(0, 13).replace('-', ''), 16)).toBeLessThanOrEqual(Date.now());
  });
});

describe('a 32-bit float', () => {
  it('is written by the fewest digits that say which one it is', () => {
    for (const [value, written] of [
      [1, 1],
      [0, 0],
      [Math.fround(0.1), 0.1],
      [Math.fround(0.123456789), 0.12345679],
      [2 ** -149, 1e-45],
    ] as const)
      expect(shortestFloat(value)).toBe(written);
  });
});

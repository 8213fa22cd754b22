import { describe, expect, it } from 'vitest';
import { isAskedFor, KIND_PATTERN, type ActivityFilter } from './activity.rules.js';

const EVENT = {
  kind: 'fact.stored',
  subject: 'f-1',
  data: { entity: 'project:web/decisions', actor: 'passport:ada' },
};

describe('an event', () => {
  it.each<[ActivityFilter, boolean]>([
    [{}, true],
    [{ kind: 'fact.stored' }, true],
    [{ kind: 'fact.*' }, true],
    [{ kind: 'fact' }, false],
    [{ kind: 'facts.*' }, false],
    [{ actors: ['ada', 'passport:ada'] }, true],
    [{ actors: ['passport:bo'] }, false],
    [{ entity: 'project:web' }, true],
    [{ entity: 'project:web/decisions' }, true],
    [{ entity: 'project' }, true],
    [{ entity: 'project:we' }, false],
    [{ entity: 'f-1' }, true],
    [{ subject: 'f-1' }, true],
    [{ subject: 'f' }, false],
    [{ kind: 'fact.*', actors: ['passport:ada'], entity: 'other' }, false],
  ])('is asked for by %j: %s', (filter, expected) => {
    expect(isAskedFor(EVENT, filter)).toBe(expected);
  });
});

it('a kind is words with dots, and a star at the end at most', () => {
  expect(['fact.*', 'fact.stored', 'a_b.c1'].filter((kind) => !KIND_PATTERN.test(kind))).toEqual([]);
  expect(['*', 'fact*', 'fact.', '.*', 'Fact.stored', 'a.*.b'].filter((kind) => KIND_PATTERN.test(kind))).toEqual([]);
});

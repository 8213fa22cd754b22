import { describe, expect, it } from 'vitest';
import {
  checkRight,
  faultOfPrefixes,
  findWider,
  listed,
  reachOf,
  rightsOf,
  type ListedRights,
} from './peer-rights.rules.js';
import type { Direction } from './peers.types.js';

const rights = (other: Partial<ListedRights> = {}) =>
  rightsOf({ entity_prefixes: ['a:', 'b:x'], collections: ['facts', 'cases'], scopes: ['facts:read'], ...other });

describe('what is open', () => {
  it.each<[string, Partial<ListedRights>, string | undefined]>([
    ['the same', {}, undefined],
    ['a longer prefix', { entity_prefixes: ['a:1', 'b:xy'] }, undefined],
    ['fewer collections', { collections: ['cases'] }, undefined],
    ['no prefixes', { entity_prefixes: [] }, undefined],
    ['another prefix', { entity_prefixes: ['a:', 'c:'] }, 'prefixes'],
    ['a shorter prefix', { entity_prefixes: ['b:'] }, 'prefixes'],
    ['all entities', { entity_prefixes: ['*'] }, 'prefixes'],
    ['more collections', { collections: ['facts', 'holds'] }, 'collections'],
    ['all collections', { collections: null }, 'collections'],
    ['more scopes', { scopes: ['facts:read', 'facts:write'] }, 'scopes'],
  ])('is held against what was given: %s', (_, asked, wider) => {
    expect(findWider(rights(), rights(asked))).toBe(wider);
  });

  it('is wider than nothing where all is open', () => {
    const all = rights({ entity_prefixes: ['*'], collections: null, scopes: ['facts:read', 'facts:write'] });
    expect([findWider(all, all), findWider(all, rights())]).toEqual([undefined, undefined]);
  });

  it('leaves out what is not known: it opens nothing', () => {
    const odd = rights({ collections: ['facts', 'secrets'], scopes: ['admin:write', 'facts:read'] });
    expect([[...odd.scopes], listed(odd)]).toEqual([
      ['facts:read'],
      { entity_prefixes: ['a:', 'b:x'], collections: ['facts'] },
    ]);
  });

  it.each([
    [['a'], undefined],
    [['*'], undefined],
    [[''], 'must not hold an empty text; ["*"] opens all entities'],
    [['*', 'a'], 'must hold nothing next to "*", which opens all entities'],
  ])('is named by prefixes: %j', (prefixes, fault) => expect(faultOfPrefixes(prefixes)).toBe(fault));
});

describe('the direction', () => {
  const both = rights({ scopes: ['facts:read', 'facts:write'] });

  it.each<[Direction, boolean, boolean]>([
    ['push', true, false],
    ['pull', false, true],
    ['both', true, true],
  ])('%s: the peer reads %s, writes %s', (direction, mayRead, mayWrite) => {
    expect(reachOf('p', both, direction)).toMatchObject({ peerId: 'p', mayRead, mayWrite });
    const reader = rights();
    expect(reachOf('p', reader, direction)).toMatchObject({ mayRead, mayWrite: false });
  });

  it('is what refuses where the scopes would do', () => {
    const check =
      (direction: Direction, right: 'reads' | 'writes' | 'either', own = both) =>
      () =>
        checkRight(right, reachOf('p', own, direction), own, direction);
    expect(check('push', 'writes')).toThrow('gives to it, and takes nothing');
    expect(check('pull', 'reads')).toThrow('takes from it, and gives it nothing');
    expect(check('both', 'writes', rights())).toThrow('no scope facts:write');
    for (const [direction, right] of [
      ['push', 'reads'],
      ['pull', 'writes'],
      ['pull', 'either'],
    ] as const)
      expect(check(direction, right)).not.toThrow();
  });
});

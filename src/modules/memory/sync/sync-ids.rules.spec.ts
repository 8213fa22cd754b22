import { describe, expect, it } from 'vitest';
import {
  arePartsOf,
  collectionOf,
  isHoldWithin,
  isPinned,
  isReached,
  keyOf,
  namesOf,
  wireIdOf,
} from './sync-ids.rules.js';
import { FULL_REACH, type SyncReach } from './sync.types.js';

const UUID = '0199aaaa-0000-7000-8000-000000000001';
const within = (...prefixes: string[]): SyncReach => ({ ...FULL_REACH, prefixes });

describe('ids', () => {
  it('have the parts of their collection', () => {
    expect(arePartsOf('facts', ['user:ada', 'city'])).toBe(true);
    expect(arePartsOf('entities', ['person', 'ada'])).toBe(true);
    expect(arePartsOf('edges', ['a', 'b', 'c', 'd', 'e'])).toBe(true);
    expect(arePartsOf('relations', ['0', 'cites', '4294967295'])).toBe(true);
    expect([arePartsOf('cases', [UUID]), arePartsOf('holds', [UUID])]).toEqual([true, true]);
  });

  it.each([
    ['facts', ['user:ada']],
    ['facts', ['', 'k']],
    ['facts', ['e', 'k'.repeat(257)]],
    ['facts', ['e\0', 'k']],
    ['facts', ['\ud800', 'k']],
    ['facts', 'user:ada'],
    ['facts', [1, 2]],
    ['relations', ['01', 'cites', '2']],
    ['relations', ['4294967296', 'cites', '2']],
    ['relations', ['-1', 'cites', '2']],
    ['cases', [UUID.toUpperCase()]],
    ['holds', ['x']],
  ] as const)('of %s are not %j', (target, parts) => {
    expect(arePartsOf(target, parts)).toBe(false);
  });

  it('name a record of one collection, and travel in another where it is deleted', () => {
    expect(keyOf('facts', ['a', 'b'])).not.toBe(keyOf('entities', ['a', 'b']));
    expect(keyOf('facts', ['a', 'b'])).not.toBe(keyOf('facts', ['a","b', '']));
    expect([collectionOf('facts', true), wireIdOf('facts', ['a', 'b'], true)]).toEqual([
      'tombstones',
      ['facts', 'a', 'b'],
    ]);
    expect([collectionOf('facts', false), wireIdOf('facts', ['a', 'b'], false)]).toEqual(['facts', ['a', 'b']]);
  });

  it('say which entities a record is of', () => {
    expect(namesOf('facts', ['user:ada', 'city'], null)).toEqual(['user:ada']);
    expect(namesOf('entities', ['person', 'ada'], null)).toEqual(['person:ada']);
    expect(namesOf('edges', ['a', 'b', 'c', 'd', 'e'], null)).toEqual(['a:b', 'd:e']);
    expect(namesOf('relations', ['1', 'cites', '2'], null)).toEqual(['artifact:1', 'artifact:2']);
    expect(namesOf('cases', [UUID], null)).toEqual([`case:${UUID}`]);
    expect(namesOf('holds', [UUID], { entity_prefixes: ['user:'] })).toEqual(['user:']);
    expect(namesOf('holds', [UUID], null)).toEqual([]);
  });
});

describe('a reach', () => {
  it('asks every entity of a record to begin as allowed', () => {
    expect(isReached({ target: 'edges', names: ['a:b', 'c:d'] }, within('a:', 'c:'))).toBe(true);
    expect(isReached({ target: 'edges', names: ['a:b', 'c:d'] }, within('a:'))).toBe(false);
    expect(isReached({ target: 'facts', names: ['a:b'] }, within())).toBe(false);
    expect(isReached({ target: 'facts', names: ['a:b'] }, { ...FULL_REACH, collections: new Set(['cases']) })).toBe(
      false,
    );
  });

  it('lets a hold through where the two overlap, and to be released where all of it is within', () => {
    const hold = (...names: string[]) => ({ target: 'holds' as const, names });
    expect(isReached(hold('a:x', 'b:'), within('a:'))).toBe(true);
    expect(isReached(hold('a'), within('a:'))).toBe(true);
    expect(isReached(hold(), within('a:'))).toBe(true);
    expect(isReached(hold('b:'), within('a:'))).toBe(false);
    expect(isHoldWithin(['a:x'], within('a:'))).toBe(true);
    expect([
      isHoldWithin(['a:x', 'b:'], within('a:')),
      isHoldWithin(['a'], within('a:')),
      isHoldWithin([], within('a:')),
    ]).toEqual([false, false, false]);
    expect(isHoldWithin([], FULL_REACH)).toBe(true);
  });

  it('is another thing than what holds pin', () => {
    expect(isPinned({ target: 'edges', names: ['a:b', 'c:d'] }, [['c:']])).toBe(true);
    expect(isPinned({ target: 'facts', names: ['a:b'] }, [['c:'], []])).toBe(true);
    expect(isPinned({ target: 'facts', names: ['a:b'] }, [['c:']])).toBe(false);
    expect(isPinned({ target: 'holds', names: ['a:b'] }, [[]])).toBe(false);
  });
});

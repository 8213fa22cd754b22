import { expect, it } from 'vitest';
import { grantsOf, reachedCollections } from './sync-reach.rules.js';
import { COLLECTIONS, FULL_REACH } from './sync.types.js';

it('names collections in the order of travel, and what one may do', () => {
  expect(reachedCollections(FULL_REACH)).toEqual(COLLECTIONS);
  expect(reachedCollections({ ...FULL_REACH, collections: new Set(['facts', 'holds']) })).toEqual(['holds', 'facts']);
  expect(grantsOf(FULL_REACH)).toEqual(['read', 'write']);
  expect(grantsOf({ ...FULL_REACH, mayWrite: false })).toEqual(['read']);
});

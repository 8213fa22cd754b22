import { describe, expect, it } from 'vitest';
import { findPath } from './blockers.rules.js';

const edges = (...pairs: string[]) => pairs.map((pair) => ({ work_id: pair[0]!, blocker_id: pair[1]! }));

describe('how an item waits for another', () => {
  it('is a shortest way', () => {
    expect(findPath(edges('ab', 'bc', 'cd', 'ae', 'ed'), 'a', 'd')).toEqual(['a', 'e', 'd']);
    expect(findPath(edges('ab'), 'a', 'b')).toEqual(['a', 'b']);
  });

  it('is empty where there is none, even in a circle', () => {
    expect(findPath(edges('ab', 'ba', 'cd'), 'a', 'd')).toEqual([]);
    expect(findPath([], 'a', 'b')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { identityFault, Reached } from './edges.rules.js';
import type { EdgeIdentity } from './graph.types.js';

const edge = (from_id: string, to_id: string): EdgeIdentity => ({
  from_kind: 'n',
  from_id,
  edge_kind: 'e',
  to_kind: 'n',
  to_id,
});

describe('the identity of an edge', () => {
  it('can hold two documents, and names what is too long', () => {
    expect(identityFault(edge('x'.repeat(1100), 'y'.repeat(1100)))).toBeUndefined();
    expect(identityFault(edge('x'.repeat(1000), 'é'.repeat(1000)))?.member).toBe('to_id');
    expect(identityFault(edge('é'.repeat(1100), 'é'.repeat(1000)))?.member).toBe('from_id');
  });
});

describe('what is reached', () => {
  it('is each node by its fewest hops and each edge once', () => {
    const reached = new Reached({ kind: 'n', id: 'a' }, 10);
    reached.add([edge('a', 'b'), edge('c', 'a'), edge('a', 'a')], 1);
    reached.add([edge('a', 'b'), edge('b', 'c'), edge('b', 'd')], 2);
    expect(reached.nodes.map(({ id, hop }) => `${id}${hop}`)).toEqual(['a0', 'b1', 'c1', 'd2']);
    expect([reached.edges.length, reached.truncated]).toEqual([5, false]);
    expect(reached.at(1).map(({ id }) => id)).toEqual(['b', 'c']);
  });

  it('ends at the limit and says so', () => {
    const reached = new Reached({ kind: 'n', id: 'a' }, 1);
    reached.add([edge('a', 'b'), edge('a', 'b')], 1);
    expect(reached.truncated).toBe(false);
    reached.add([edge('b', 'c')], 2);
    expect([reached.nodes.length, reached.edges.length, reached.truncated]).toEqual([2, 1, true]);
  });
});

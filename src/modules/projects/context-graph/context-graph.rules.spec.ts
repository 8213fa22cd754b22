import { describe, expect, it } from 'vitest';
import { GraphPage, isSymbolKey, placeOfCursor, readNodeId } from './context-graph.rules.js';
import { MAX_EDGES, MAX_NODES, type Edge, type NodeWithEdges } from './context-graph.types.js';

const edges = (count: number): Edge[] =>
  Array.from({ length: count }, (_, n) => ({ kind: 'has_work', from: 'project:p', to: `work:${n}` }));
const node = (key: string, count = 0): NodeWithEdges => ({
  ...{ id: `work:${key}`, kind: 'work', key, label: key, ref: key },
  edges: edges(count),
});

describe('a page', () => {
  it('ends after so many nodes, and the next begins after the last of them', () => {
    const page = new GraphPage();
    for (let number = 0; number <= MAX_NODES; number += 1) page.add(node(String(number)));
    expect([page.nodes.length, page.isFull]).toEqual([MAX_NODES, true]);
    expect(placeOfCursor(page.nextCursor!)).toEqual({ kind: 'work', key: String(MAX_NODES - 1), edgesShown: 0 });
  });

  it('is the last one where exactly so many nodes are left', () => {
    const page = new GraphPage();
    for (let number = 0; number < MAX_NODES; number += 1) page.add(node(String(number)));
    expect([page.isFull, page.nextCursor]).toEqual([false, null]);
  });

  it('leaves a node whose edges do not fit to the next one', () => {
    const page = new GraphPage();
    page.add(node('a', MAX_EDGES - 1));
    page.add(node('b', 2));
    expect([page.nodes.length, page.edges.length]).toEqual([1, MAX_EDGES - 1]);
    expect(placeOfCursor(page.nextCursor!)).toMatchObject({ key: 'a', edgesShown: 0 });
  });

  it('divides the edges of a node that no page holds, and loses none', () => {
    const large = node('a', 2 * MAX_EDGES + 1);
    const shown: Edge[] = [];
    const first = new GraphPage();
    first.add(large);
    shown.push(...first.edges);
    let place = placeOfCursor(first.nextCursor ?? undefined);
    while (place) {
      const page = new GraphPage();
      page.continue(large, place.edgesShown);
      expect(page.nodes).toEqual([]);
      shown.push(...page.edges);
      place = placeOfCursor(page.nextCursor ?? undefined);
    }
    expect(shown).toEqual(large.edges);
  });
});

it('the id of a node is a kind and a key, which may have colons', () => {
  expect(readNodeId('fact:1')).toEqual({ kind: 'fact', key: '1' });
  expect(readNodeId('layer:p/q:style')).toEqual({ kind: 'layer', key: 'p/q:style' });
  expect(['', 'fact', 'fact:', 'lamp:1', 'file:\0', 'file:\ud800'].map(readNodeId)).toEqual(Array(6).fill(undefined));
});

it('the key of a symbol ends with its place in the file', () => {
  expect(['a.ts#1', 'a#b#12', 'a.ts', 'a.ts#', 'a.ts#x', 'a.ts#9999999999'].map(isSymbolKey)).toEqual([
    ...[true, true, false, false, false, false],
  ]);
});

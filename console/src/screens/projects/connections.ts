import type { ContextGraph, GraphEdge, GraphNode } from '../../generated/daemon/types.gen.ts';

type Shown = Pick<GraphNode, 'id' | 'label'> & { kind: string };

export interface Connection {
  from: Shown;
  kind: GraphEdge['kind'];
  to: Shown;
}

/** Edges with both their ends; an end that no page has read yet is shown by its id. */
export function connectionsOf(pages: readonly Pick<ContextGraph, 'nodes' | 'edges'>[]): Connection[] {
  const nodes = new Map(pages.flatMap((page) => page.nodes.map((node) => [node.id, node] as const)));
  const end = (id: string): Shown => nodes.get(id) ?? { id, label: id, kind: id.split(':')[0]! };
  const found = new Map<string, Connection>();
  for (const { from, kind, to } of pages.flatMap((page) => page.edges))
    found.set(`${from} ${kind} ${to}`, { from: end(from), kind, to: end(to) });
  return [...found.values()];
}

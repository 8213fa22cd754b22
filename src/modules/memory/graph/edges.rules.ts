import { type EdgeIdentity, type GraphNode, MAX_IDENTITY_BYTES } from './graph.types.js';

/** What is wrong with the length of an edge's identity, as its member and what it must be; undefined of most. */
export function identityFault(edge: EdgeIdentity): { member: keyof EdgeIdentity; fault: string } | undefined {
  const { from_kind, from_id, edge_kind, to_kind, to_id } = edge;
  const bytes = [from_kind, from_id, edge_kind, to_kind, to_id].reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  if (bytes <= MAX_IDENTITY_BYTES) return undefined;
  const member = Buffer.byteLength(from_id) > Buffer.byteLength(to_id) ? 'from_id' : 'to_id';
  return {
    member,
    fault: `is too long: the five members are ${bytes} bytes together, and can be ${MAX_IDENTITY_BYTES}; link a shorter id, such as that of a passage`,
  };
}

/** A node that was reached, in so many hops. */
export interface ReachedNode extends GraphNode {
  hop: number;
}

/** What was reached from a node, hop by hop. */
export class Reached<Edge extends EdgeIdentity> {
  readonly nodes: ReachedNode[];
  readonly edges: Edge[] = [];
  /** Whether there were more edges than the limit. */
  truncated = false;
  private readonly known: Set<string>;
  private readonly followed = new Set<string>();

  constructor(
    start: GraphNode,
    private readonly limit: number,
  ) {
    this.nodes = [{ kind: start.kind, id: start.id, hop: 0 }];
    this.known = new Set([nameOf(start)]);
  }

  /** As many edges of the nodes of a hop as show whether there are more than the limit. */
  get wanted(): number {
    return this.limit + 1;
  }

  /** The nodes that were reached by so many hops. */
  at(hop: number): ReachedNode[] {
    return this.nodes.filter((node) => node.hop === hop);
  }

  /** Edges of the nodes of the hop before, those of the first node first. */
  add(edges: readonly Edge[], hop: number): void {
    for (const edge of edges) {
      const name = JSON.stringify([edge.from_kind, edge.from_id, edge.edge_kind, edge.to_kind, edge.to_id]);
      if (this.followed.has(name)) continue;
      if (this.edges.length === this.limit) {
        this.truncated = true;
        return;
      }
      this.followed.add(name);
      this.edges.push(edge);
      this.reach({ kind: edge.from_kind, id: edge.from_id }, hop);
      this.reach({ kind: edge.to_kind, id: edge.to_id }, hop);
    }
  }

  private reach(node: GraphNode, hop: number): void {
    if (this.known.has(nameOf(node))) return;
    this.known.add(nameOf(node));
    this.nodes.push({ ...node, hop });
  }
}

const nameOf = ({ kind, id }: GraphNode): string => JSON.stringify([kind, id]);

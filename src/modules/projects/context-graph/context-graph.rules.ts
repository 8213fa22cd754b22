import { decodeCursor, encodeCursor } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import {
  MAX_EDGES,
  MAX_NODES,
  NODE_KINDS,
  type Edge,
  type GraphPlace,
  type NodeKind,
  type NodeWithEdges,
} from './context-graph.types.js';

const isKind = (text: string): text is NodeKind => (NODE_KINDS as readonly string[]).includes(text);
/** `<path>#<place>`, of a place that an integer of the database holds. */
export const isSymbolKey = (key: string): boolean => /#\d{1,9}$/.test(key);

/** @returns undefined for what is no id of a node */
export function readNodeId(id: string): { kind: NodeKind; key: string } | undefined {
  const [kind = ''] = id.split(':', 1);
  const key = id.slice(kind.length + 1);
  return isKind(kind) && key !== '' && !key.includes('\0') && key.isWellFormed() ? { kind, key } : undefined;
}

/** @throws ValidationFailed */
export function placeOfCursor(cursor: string | undefined): GraphPlace | undefined {
  const place = decodeCursor(cursor, ['text', 'text', 'integer']);
  if (!place) return undefined;
  const [kind, key, edgesShown] = place;
  if (isKind(kind) && edgesShown >= 0 && (kind !== 'symbol' || isSymbolKey(key))) return { kind, key, edgesShown };
  throw invalid('query.cursor', 'is not a cursor of this graph; leave it out to start at the first page');
}

const cursorOf = ({ kind, key, edgesShown }: GraphPlace): string => encodeCursor([kind, key, edgesShown]);

/** A page as it fills: whole nodes, until one has more edges than fit. */
export class GraphPage {
  readonly nodes: NodeWithEdges[] = [];
  readonly edges: Edge[] = [];
  private end: GraphPlace | undefined;

  get isFull(): boolean {
    return this.end !== undefined;
  }

  /** How many more nodes fit, and one to know whether there are more. */
  get nodesLeft(): number {
    return MAX_NODES + 1 - this.nodes.length;
  }

  /** The cursor of the page after it; null where there is none. */
  get nextCursor(): string | null {
    return this.end ? cursorOf(this.end) : null;
  }

  /** What an earlier page showed the node and so many edges of. */
  continue(node: NodeWithEdges, edgesShown: number): void {
    this.addEdges(node, edgesShown);
  }

  add(node: NodeWithEdges): void {
    if (this.isFull) return;
    const last = this.nodes.at(-1);
    const isCrowded = this.edges.length > 0 && this.edges.length + node.edges.length > MAX_EDGES;
    if (last && (this.nodes.length === MAX_NODES || isCrowded)) {
      this.end = { kind: last.kind, key: last.key, edgesShown: 0 };
      return;
    }
    this.nodes.push(node);
    this.addEdges(node, 0);
  }

  private addEdges(node: NodeWithEdges, shown: number): void {
    const left = node.edges.slice(shown);
    const added = left.slice(0, MAX_EDGES - this.edges.length);
    this.edges.push(...added);
    if (added.length < left.length) this.end = { kind: node.kind, key: node.key, edgesShown: shown + added.length };
  }
}

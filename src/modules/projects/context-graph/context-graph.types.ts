/** Of one page (D66). */
export const MAX_NODES = 500;
export const MAX_EDGES = 2_000;

/** Kinds of nodes, in the order in which a graph lists them: each is linked to those before it, or of its own kind. */
export const NODE_KINDS = [
  ...(['project', 'plane', 'tenant', 'repo', 'passport', 'layer', 'work', 'intent', 'fact', 'file', 'symbol'] as const),
] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const EDGE_KINDS = [
  ...(['has_plane', 'works_in', 'has_repo', 'has_member', 'default_passport', 'has_layer', 'has_work'] as const),
  ...(['assigned_to', 'blocked_by', 'has_intent', 'announced_by', 'has_fact', 'has_file', 'declares'] as const),
] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** `<kind>:<key>`. */
type NodeId = string;

export interface Edge {
  from: NodeId;
  to: NodeId;
  kind: EdgeKind;
}

/** A node with the edges that lead from it, or to it, to nodes before it. */
export interface NodeWithEdges {
  id: NodeId;
  kind: NodeKind;
  key: string;
  label: string;
  ref: string;
  edges: Edge[];
}

/** What a graph is read of, and for whom. */
export interface GraphScope {
  projectId: string;
  /** Whose private facts are seen, by the name that facts have it. */
  principal: string;
  /** Everybody's are. */
  seesAll: boolean;
  /** The scan whose files are seen; undefined: none. */
  scanId: string | undefined;
  withSymbols: boolean;
}

/** The node whose neighbourhood is meant. */
export interface Centre {
  id: NodeId;
  kind: NodeKind;
  key: string;
  /** The nodes before it that it is linked to. */
  linked: ReadonlySet<NodeId>;
}

/** Where a page begins: after a node and so many of its edges; those that are left come first. */
export interface GraphPlace {
  kind: NodeKind;
  key: string;
  /** 0: all edges of that node were shown. */
  edgesShown: number;
}

/** What can rest on something, or be rested on. */
export const NODE_KINDS = [
  'document',
  'passage',
  'retrieval',
  'citation',
  'answer',
  'proof',
  'pin',
  'watch',
  'step',
  'receipt',
  'fact',
  'case',
  'candidate',
  'claim',
] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

/** What a walk can begin at. */
export const ROOT_KINDS = ['document', 'passage', 'fact', 'receipt', 'answer', 'case'] as const;
export type RootKind = (typeof ROOT_KINDS)[number];

/** How many values name one of the kind; an id is these with slashes between. */
export const KEY_PARTS: Readonly<Record<NodeKind, number>> = {
  document: 2,
  passage: 1,
  retrieval: 1,
  citation: 3,
  answer: 2,
  proof: 1,
  pin: 5,
  watch: 1,
  step: 2,
  receipt: 1,
  fact: 1,
  case: 1,
  candidate: 1,
  /** Project, dossier, claim. */
  claim: 3,
};

export const idOf = (key: readonly string[]): string => key.join('/');

/** What was reached, and how. */
export interface WalkedNode {
  kind: NodeKind;
  key: string[];
  /** Edges from the root; null where nothing leads to it, and it is aside because a part of it is. */
  depth: number | null;
  viaEdge: string | null;
  /** Place of the node before it. */
  viaPosition: number | null;
}

/** Between two nodes, by their places. */
interface WalkedEdge {
  from: number;
  edge: string;
  to: number;
}

export interface Walk {
  nodes: WalkedNode[];
  edges: WalkedEdge[];
}

import { Choice, Flag, ListOf, Text } from '../../../common/fields/fields.js';
import { NextCursor } from '../../../common/fields/page.dto.js';
import { SLUG } from '../projects/projects.types.js';
import { EDGE_KINDS, MAX_EDGES, MAX_NODES, NODE_KINDS, type EdgeKind, type NodeKind } from './context-graph.types.js';

export class ContextGraphPath {
  @Text({ about: 'The project.', max: 63, pattern: SLUG, example: 'lighthouse' })
  id!: string;
}

export class ContextGraphQuery {
  @Flag({ about: 'With the files of the last scan of the workspace.', default: false })
  include_workspace!: boolean;

  @Flag({ about: 'With those files and the symbols that they declare.', default: false })
  include_symbols!: boolean;

  @Text({
    about: 'The id of a node: only it, the nodes that it shares an edge with, and those edges.',
    ...{ optional: true, min: 1, max: 2_000, example: 'plane:lighthouse/backend' },
  })
  around?: string;

  @Text({
    about: 'The next_cursor of the page before, with the same parameters; absent for the first page.',
    ...{ optional: true, min: 1, max: 4_096 },
  })
  cursor?: string;
}

export class GraphNode {
  @Text({ about: 'The node, `<kind>:<key>`: the same at every reading.' })
  id!: string;

  @Choice({ about: 'What it stands for.', values: NODE_KINDS })
  kind!: NodeKind;

  @Text({ about: 'What people call it, up to 200 characters: a name, a title; of a symbol its kind and name.' })
  label!: string;

  @Text({
    about:
      'What other routes know it by: an id, owner/repo, of a layer or fact its fact_id, of an intent its session, of a file its path, of a symbol path:line.',
  })
  ref!: string;
}

export class GraphEdge {
  @Text({ about: 'The node that it leads from.' })
  from!: string;

  @Text({ about: 'The node that it leads to.' })
  to!: string;

  @Choice({ about: 'What it says, read from `from` to `to`.', values: EDGE_KINDS })
  kind!: EdgeKind;
}

export class ContextGraph {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Text({
    about: 'The scan that files and symbols are of; null where none are asked for, or none was done.',
    nullable: true,
  })
  scan_id!: string | null;

  @ListOf({ about: `At most ${MAX_NODES}, by kind and key.`, type: () => GraphNode })
  nodes!: GraphNode[];

  @ListOf({
    about: `At most ${MAX_EDGES}. Both nodes of an edge are on this page or on one before it.`,
    type: () => GraphEdge,
  })
  edges!: GraphEdge[];

  @Flag({ about: 'Whether there is more.' })
  truncated!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

import { SHA256_DIGEST } from '../../../../evidence/digest-forms.js';
import {
  Choice,
  DateTime,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  Uuid,
} from '../../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../../common/fields/page.dto.js';
import { NODE_KINDS, ROOT_KINDS, type NodeKind, type RootKind } from './blast-radius.types.js';

const Kind = (about: string) => Choice({ about, values: NODE_KINDS });

export class WalkRequest {
  @Choice({ about: 'What the walk begins at; with id. Leave both out to undo.', values: ROOT_KINDS, optional: true })
  kind?: RootKind;

  @Text({
    about:
      'Which: a document as corpusId/docId, a passage by its chunk id, a fact_id, a receipt id (UUID or blake3:<hex>), an answerId, a case_id.',
    optional: true,
    min: 1,
    max: 1100,
    example: 'handbook/leave',
  })
  id?: string;

  @Flag({ about: 'Also set aside what was found: its documents, facts and cases, all or nothing.', default: false })
  apply!: boolean;

  @Flag({ about: 'Bring back what radius_id has set aside.', default: false })
  undo!: boolean;

  @Uuid({ about: 'The walk to undo; the newest of the incident that is applied when absent.', optional: true })
  radius_id?: string;
}

export class RadiusQuery extends PageQuery {
  @Uuid({ about: 'Which walk of the incident; its newest when absent.', optional: true })
  radius_id?: string;
}

export class RadiusNodesQuery extends RadiusQuery {
  @Choice({ about: 'Only things of this kind.', values: NODE_KINDS, optional: true })
  kind?: NodeKind;
}

export class NodeName {
  @Kind('What it is.')
  kind!: NodeKind;

  @Text({
    about:
      'A document is corpusId/docId, an answer answerId/version, a citation answerId/version/ordinal, a step session/node, a pin home/kind/name/version/ordinal.',
  })
  id!: string;
}

export class NodeVia extends NodeName {
  @Text({ about: 'The edge that leads from it to this.' })
  edge!: string;
}

export class RadiusNode extends NodeName {
  @Integer({
    about: 'How many edges from the root; null of what is aside because a part of it is.',
    min: 0,
    nullable: true,
  })
  depth!: number | null;

  @Nested({
    about: 'What it rests on, where the walk came from; null of the root.',
    type: () => NodeVia,
    nullable: true,
  })
  via!: NodeVia | null;

  @Flag({ about: 'Whether this walk set it aside.' })
  set_aside!: boolean;
}

export class StateRoots {
  @Text({ about: 'Before anything was set aside.', pattern: SHA256_DIGEST })
  before!: string;

  @Text({ about: 'With it set aside; null unless it was.', pattern: SHA256_DIGEST, nullable: true })
  after!: string | null;

  @Text({ about: 'Now: SHA-256 over all documents and facts that are found.', pattern: SHA256_DIGEST })
  now!: string;
}

export class BlastRadius {
  @Uuid({ about: 'The walk.' })
  radius_id!: string;

  @Uuid({ about: 'The incident it belongs to.' })
  incident_id!: string;

  @Nested({ about: 'What it began at.', type: () => NodeName })
  root!: NodeName;

  @Integer({ about: 'How many things were reached, the root among them.', min: 0 })
  node_count!: number;

  @Integer({ about: 'How many edges lead between them.', min: 0 })
  edge_count!: number;

  @FreeObject({ about: 'How many things of each kind.', example: { document: 1, fact: 12 } })
  counts!: Record<string, number>;

  @Text({ about: 'The principal that asked for it.' })
  walked_by!: string;

  @DateTime({ about: 'When.' })
  walked_at!: string;

  @DateTime({ about: 'When it was set aside; null unless it was.', nullable: true })
  applied_at!: string | null;

  @DateTime({ about: 'When it was brought back; null unless it was.', nullable: true })
  undone_at!: string | null;
}

export class BlastRadiusReply {
  @Nested({ about: 'The walk.', type: () => BlastRadius })
  radius!: BlastRadius;

  @Nested({ about: 'Digests over what the tenant finds.', type: () => StateRoots })
  state_root!: StateRoots;

  @ListOf({ about: 'The first things that were reached, nearest first; GET lists all.', type: () => RadiusNode })
  nodes!: RadiusNode[];

  @PageCount()
  count!: number;

  @Text({ about: 'The cursor of the next page of GET; null where there is none.', nullable: true })
  next_cursor!: string | null;
}

export class RadiusEdge {
  @Nested({ about: 'What is rested on.', type: () => NodeName })
  from!: NodeName;

  @Text({ about: 'How.' })
  edge!: string;

  @Nested({ about: 'What rests on it.', type: () => NodeName })
  to!: NodeName;
}

export class RadiusEdges {
  @Uuid({ about: 'The walk.' })
  radius_id!: string;

  @Nested({ about: 'What it began at.', type: () => NodeName })
  root!: NodeName;

  @ListOf({ about: 'Edges, in the order in which they were followed.', type: () => RadiusEdge })
  edges!: RadiusEdge[];

  @PageCount()
  count!: number;

  @NextCursor()
  next_cursor!: string | null;
}

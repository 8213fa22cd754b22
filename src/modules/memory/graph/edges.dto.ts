import {
  AnyJson,
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
} from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { DIRECTIONS, type Direction, MAX_END_ID, MAX_KIND, MAX_PAYLOAD_BYTES } from './graph.types.js';

/** The five members that make an edge the one it is. */
export class EdgeAddress {
  @Text({ about: 'The kind of the entity it goes out from.', min: 1, max: MAX_KIND, example: 'person' })
  from_kind!: string;

  @Text({ about: 'The id of that entity.', min: 1, max: MAX_END_ID, example: 'ada' })
  from_id!: string;

  @Text({ about: 'The kind of the edge.', min: 1, max: MAX_KIND, example: 'wrote' })
  edge_kind!: string;

  @Text({ about: 'The kind of the entity it goes to.', min: 1, max: MAX_KIND, example: 'note' })
  to_kind!: string;

  @Text({ about: 'The id of that entity.', min: 1, max: MAX_END_ID, example: 'note-g' })
  to_id!: string;
}

export class StoreEdge extends EdgeAddress {
  @AnyJson({
    about: 'What is known of the edge: any JSON value.',
    maxBytes: MAX_PAYLOAD_BYTES,
    default: null,
  })
  payload!: unknown;
}

export class EdgesQuery extends PageQuery {
  @Text({ about: 'Only edges from entities of this kind.', optional: true, min: 1, max: MAX_KIND })
  from_kind?: string;

  @Text({ about: 'Only edges from entities of this id.', optional: true, min: 1, max: MAX_END_ID })
  from_id?: string;

  @Text({ about: 'Only edges to entities of this kind.', optional: true, min: 1, max: MAX_KIND })
  to_kind?: string;

  @Text({ about: 'Only edges to entities of this id.', optional: true, min: 1, max: MAX_END_ID })
  to_id?: string;

  @Text({ about: 'Only edges of this kind.', optional: true, min: 1, max: MAX_KIND })
  edge_kind?: string;

  @Flag({ about: 'Deleted ones as well.', default: false })
  include_deleted!: boolean;
}

export class EdgeRecord {
  @Text({ about: 'The kind of the entity it goes out from.' })
  from_kind!: string;

  @Text({ about: 'The id of that entity.' })
  from_id!: string;

  @Text({ about: 'The kind of the edge.' })
  edge_kind!: string;

  @Text({ about: 'The kind of the entity it goes to.' })
  to_kind!: string;

  @Text({ about: 'The id of that entity.' })
  to_id!: string;

  @AnyJson({ about: 'What is known of it; of a deleted one what was known last.' })
  payload!: unknown;

  @Integer({ about: 'How often it was stored or deleted.', min: 1 })
  version!: number;

  @Flag({ about: 'Whether it is deleted.' })
  deleted!: boolean;

  @DateTime({ about: 'When it was stored first.' })
  created_at!: string;

  @DateTime({ about: 'When it was stored or deleted last.' })
  updated_at!: string;

  @Text({ about: 'Who did that.' })
  updated_by!: string;
}

export class EdgeReply {
  @Nested({ about: 'The edge.', type: () => EdgeRecord })
  edge!: EdgeRecord;
}

export class EdgeList {
  @PageCount()
  count!: number;

  @ListOf({ about: 'The edges, by from_kind, from_id, edge_kind, to_kind, to_id.', type: () => EdgeRecord })
  edges!: EdgeRecord[];

  @NextCursor()
  next_cursor!: string | null;
}

/** Of which node the neighbourhood is asked for, and how far it goes. */
export class NeighbourhoodRequest {
  @Text({ about: 'The kind of the node.', min: 1, max: MAX_KIND, example: 'fact' })
  kind!: string;

  @Text({ about: 'Its id.', min: 1, max: MAX_END_ID, example: '0198f2c4-7d3e-7abc-8def-0123456789ab' })
  id!: string;

  @TextList({
    about: 'Only edges of these kinds; of every kind unless given.',
    max: MAX_KIND,
    maxItems: 32,
    optional: true,
  })
  edge_kinds?: string[];

  @Choice({
    about: 'Along edges that go out from a node, come in to it, or both.',
    values: DIRECTIONS,
    default: 'both',
  })
  direction!: Direction;

  @Integer({ about: 'How many edges away at most.', min: 1, max: 3, default: 1 })
  max_hops!: number;

  @Integer({ about: 'How many edges at most.', min: 1, max: 500, default: 50 })
  limit!: number;
}

export class NeighbourNode {
  @Text({ about: 'Its kind.' })
  kind!: string;

  @Text({ about: 'Its id.' })
  id!: string;

  @Integer({ about: 'How many edges away it is; 0 of the node that was asked for.', min: 0 })
  hop!: number;
}

export class Neighbourhood {
  @ListOf({ about: 'The nodes, the nearest first.', type: () => NeighbourNode })
  nodes!: NeighbourNode[];

  @ListOf({ about: 'The edges that lead there, the nearest first.', type: () => EdgeRecord })
  edges!: EdgeRecord[];

  @Flag({ about: 'Whether there are edges within max_hops beyond the limit.' })
  truncated!: boolean;
}

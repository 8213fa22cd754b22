import { tool } from '../../../common/contract/tool-declaration.js';
import { ExpandRequest, Expansion, RelationRecord, StoreRelation } from './relations.dto.js';

export const RELATION_TOOLS = [
  tool('relate', {
    title: 'Relate two artifacts',
    description:
      'Writes an edge from one artifact to another, by their numbers, with a confidence from 0 to 1. The same edge again changes its confidence.',
    route: 'POST /v1/relations',
    body: StoreRelation,
    answer: RelationRecord,
    isRead: false,
    isIdempotent: true,
  }),
  tool('expand', {
    title: 'Expand from artifacts',
    description:
      'Follows edges from some artifacts outward, and returns which are reached, in how many hops and how surely.',
    route: 'POST /v1/relations/expand',
    body: ExpandRequest,
    answer: Expansion,
    isRead: true,
  }),
];

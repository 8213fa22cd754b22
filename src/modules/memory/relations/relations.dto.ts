import { Decimal, Integer, IntegerList, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { NextCursor } from '../../../common/fields/page.dto.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

const MAX_U32 = 2 ** 32 - 1;
const MAX_EDGE_TYPE = 64;
/** JSON cannot distinguish whole numbers beyond this, so a 64-bit time ends here: in the year 2255. */
const MICROS = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

const TenantId = () => TenantIdMember('The tenant whose relations are meant.', { example: 'default' });
const Id = (about: string) => Integer({ about, min: 0, max: MAX_U32, example: 1 });
const Cursor = () =>
  Text({ about: 'The next_cursor of the page before; absent for the first page.', optional: true, min: 1, max: 2048 });

export class StoreRelation {
  @TenantId()
  tenant_id!: string;

  @Id('The artifact it goes out from (u32).')
  from_id!: number;

  @Id('The artifact it goes to (u32).')
  to_id!: number;

  @Text({ about: 'The type of the relation.', min: 1, max: MAX_EDGE_TYPE, example: 'cites' })
  edge_type!: string;

  @Decimal({ about: 'How sure it is, held in 32 bits.', min: 0, max: 1, default: 1 })
  confidence!: number;

  @Integer({
    about: 'When the relation came to be, in microseconds since 1970; now when absent. Kept when it is stored again.',
    optional: true,
    ...MICROS,
  })
  created_at_micros?: number;

  @Integer({
    about: 'When it last changed, in microseconds since 1970; now when absent. Not before created_at_micros.',
    optional: true,
    ...MICROS,
  })
  updated_at_micros?: number;
}

export class OutgoingQuery {
  @TenantId()
  tenant_id!: string;

  @Id('The artifact that the relations go out from (u32).')
  from_id!: number;

  @Integer({ about: 'How many relations at most.', min: 1, max: 5000, default: 1000 })
  limit!: number;

  @Cursor()
  cursor?: string;
}

export class IncomingQuery {
  @TenantId()
  tenant_id!: string;

  @Id('The artifact that the relations go to (u32).')
  to_id!: number;

  @Text({ about: 'Only relations of this type.', optional: true, min: 1, max: MAX_EDGE_TYPE })
  edge_type?: string;

  @Integer({ about: 'How many relations at most.', min: 1, max: 1000, default: 100 })
  limit!: number;

  @Cursor()
  cursor?: string;
}

export class RelationRecord {
  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Integer({ about: 'The artifact it goes out from.', min: 0, max: MAX_U32 })
  from_id!: number;

  @Integer({ about: 'The artifact it goes to.', min: 0, max: MAX_U32 })
  to_id!: number;

  @Text({ about: 'Its type.' })
  edge_type!: string;

  @Decimal({ about: 'How sure it is.', min: 0, max: 1 })
  confidence!: number;

  @Integer({ about: 'When it came to be, in microseconds since 1970.' })
  created_at_micros!: number;

  @Integer({ about: 'When it last changed, in microseconds since 1970.' })
  updated_at_micros!: number;
}

export class OutgoingRelations {
  @ListOf({ about: 'The relations, by edge_type and to_id.', type: () => RelationRecord })
  edges!: RelationRecord[];

  @NextCursor()
  next_cursor!: string | null;
}

export class IncomingRelations {
  @ListOf({ about: 'The relations, by edge_type and from_id.', type: () => RelationRecord })
  edges!: RelationRecord[];

  @Text({ about: 'The cursor of this page, as it was sent; null on the first one.', nullable: true })
  cursor!: string | null;

  @NextCursor()
  next_cursor!: string | null;

  @Integer({ about: 'The limit that held.', min: 1 })
  limit!: number;
}

export class ExpandRequest {
  @TenantId()
  tenant_id!: string;

  @IntegerList({
    about: 'The artifacts to start from (u32); each counts once.',
    min: 0,
    max: MAX_U32,
    minItems: 1,
    maxItems: 1000,
  })
  seed_artifact_ids!: number[];

  @TextList({
    about: 'Only relations of these types; none named: of every type.',
    max: MAX_EDGE_TYPE,
    maxItems: 32,
    default: [],
  })
  edge_types!: string[];

  @Integer({ about: 'How many relations away from a seed at most.', min: 0, max: 6, default: 2 })
  max_hops!: number;

  @Integer({
    about: 'How many relations may be followed at most, over all hops.',
    min: 0,
    max: 50_000,
    default: 1000,
  })
  budget!: number;

  @Decimal({ about: 'Only relations that are at least so sure.', min: 0, max: 1, default: 0 })
  min_confidence!: number;
}

export class ExpandedArtifact {
  @Integer({ about: 'The artifact.', min: 0, max: MAX_U32 })
  artifact_id!: number;

  @Integer({ about: 'How many relations away from the nearest seed; 0: a seed.', min: 0 })
  hop_distance!: number;

  @Decimal({ about: 'How strongly it is connected to the seeds; 1: a seed.', min: 0, max: 1 })
  score!: number;
}

export class ExpansionStats {
  @Integer({ about: 'How many relations were followed.', min: 0 })
  edges_traversed!: number;

  @TextList({ about: 'The types of those relations, by name.' })
  edge_types_used!: string[];

  @Integer({ about: 'The last hop in which a relation was followed.', min: 0 })
  hops_used!: number;

  @Integer({ about: 'What is left of the budget; 0: there may be more than is shown.', min: 0 })
  budget_remaining!: number;
}

export class Expansion {
  @ListOf({ about: 'Each artifact once: by hop_distance, then falling score, then id.', type: () => ExpandedArtifact })
  artifacts!: ExpandedArtifact[];

  @Nested({ about: 'What the expansion cost.', type: () => ExpansionStats })
  stats!: ExpansionStats;
}

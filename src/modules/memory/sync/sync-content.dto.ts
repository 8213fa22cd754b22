import {
  AnyJson,
  Choice,
  DateTime,
  Decimal,
  Flag,
  Integer,
  ListOf,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { HORIZON_CLASSES, type HorizonClass, MAX_ENTITY, MAX_KEY } from '../facts/facts.types.js';
import { MAX_END_ID, MAX_ID, MAX_KIND, MAX_PAYLOAD_BYTES } from '../graph/graph.types.js';

const MAX_VALUE = 1024 * 1024;
const MAX_TEXT = 65_536;
const MAX_U32 = 2 ** 32 - 1;
const MICROS = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
const MAX_PREFIXES = 100;
const MAX_PREFIX = 640;

/** What a fact says, as sync carries it. */
export class SyncFact {
  @Text({ about: 'What it is about.', min: 1, max: MAX_ENTITY })
  entity!: string;

  @Text({ about: 'Which fact of it.', min: 1, max: MAX_KEY })
  key!: string;

  @Text({ about: 'The value.', max: MAX_VALUE })
  value!: string;

  @Text({ about: 'Who says so.', min: 1, max: 256 })
  actor!: string;

  @Decimal({ about: 'How sure the writer is.', min: 0, max: 1 })
  confidence!: number;

  @Choice({ about: 'How fast confidence fades.', values: HORIZON_CLASSES })
  horizon_class!: HorizonClass;

  @Text({ about: 'A digest of the writer.', nullable: true, max: 256 })
  tenant_hash!: string | null;

  @DateTime({ about: 'From when it holds.', nullable: true })
  valid_from!: string | null;

  @DateTime({ about: 'Until when it holds.', nullable: true })
  valid_to!: string | null;
}

export class SyncEntity {
  @Text({ about: 'Its kind.', min: 1, max: MAX_KIND })
  kind!: string;

  @Text({ about: 'Its id.', min: 1, max: MAX_ID })
  id!: string;

  @AnyJson({ about: 'What is known of it.', maxBytes: MAX_PAYLOAD_BYTES })
  payload!: unknown;
}

export class SyncEdge {
  @Text({ about: 'The kind it goes out from.', min: 1, max: MAX_KIND })
  from_kind!: string;

  @Text({ about: 'The id it goes out from.', min: 1, max: MAX_END_ID })
  from_id!: string;

  @Text({ about: 'Its kind.', min: 1, max: MAX_KIND })
  edge_kind!: string;

  @Text({ about: 'The kind it goes to.', min: 1, max: MAX_KIND })
  to_kind!: string;

  @Text({ about: 'The id it goes to.', min: 1, max: MAX_END_ID })
  to_id!: string;

  @AnyJson({ about: 'What is known of it.', maxBytes: MAX_PAYLOAD_BYTES })
  payload!: unknown;
}

export class SyncRelation {
  @Integer({ about: 'The artifact it goes out from.', min: 0, max: MAX_U32 })
  from_id!: number;

  @Integer({ about: 'The artifact it goes to.', min: 0, max: MAX_U32 })
  to_id!: number;

  @Text({ about: 'Its type.', min: 1, max: 64 })
  edge_type!: string;

  @Decimal({ about: 'How sure it is.', min: 0, max: 1 })
  confidence!: number;

  @Integer({ about: 'When it came to be, in microseconds since 1970.', ...MICROS })
  created_at_micros!: number;

  @Integer({ about: 'When it last changed, in microseconds since 1970.', ...MICROS })
  updated_at_micros!: number;
}

class SyncScreened {
  @Text({ about: 'What kind of secret was masked.', pattern: /^[a-z0-9-]{1,64}$/, max: 64 })
  kind!: string;

  @Integer({ about: 'Where it began.', min: 0 })
  start!: number;

  @Integer({ about: 'Where it ended.', min: 0 })
  end!: number;

  @Text({
    about: 'The member it stood in.',
    pattern: /^(?:task|action|outcome|context|lesson|source_receipt|tags\[\d{1,3}\])$/,
    max: 64,
  })
  member!: string;
}

export class SyncCase {
  @Uuid({ about: 'Its id.' })
  case_id!: string;

  @Text({ about: 'What was to be done.', min: 1, max: MAX_TEXT })
  task!: string;

  @Text({ about: 'What was done.', min: 1, max: MAX_TEXT })
  action!: string;

  @Text({ about: 'What came of it.', max: MAX_TEXT })
  outcome!: string;

  @Text({ about: 'The circumstances.', max: MAX_TEXT })
  context!: string;

  @Text({ about: 'What is to be learnt from it.', nullable: true, max: MAX_TEXT })
  lesson!: string | null;

  @Flag({ about: 'Whether it went well.' })
  success!: boolean;

  @Decimal({ about: 'How well.', min: 0, max: 1 })
  reward!: number;

  @TextList({ about: 'Tags.', max: 256, maxItems: 64 })
  tags!: string[];

  @Text({ about: 'Who recorded it.', min: 1, max: 256 })
  recorded_by!: string;

  @DateTime({ about: 'When.' })
  created_at!: string;

  @ListOf({ about: 'Secrets that were masked.', type: () => SyncScreened, max: 1000 })
  screened!: SyncScreened[];
}

export class SyncHold {
  @Uuid({ about: 'Its id.' })
  hold_id!: string;

  @Text({ about: 'Why.', min: 1, max: 2000 })
  reason!: string;

  @TextList({ about: 'How entities that it pins begin; none: all.', max: MAX_PREFIX, maxItems: MAX_PREFIXES })
  entity_prefixes!: string[];

  @Text({ about: 'Who placed it.', min: 1, max: 256 })
  placed_by!: string;

  @DateTime({ about: 'When.' })
  placed_at!: string;

  @Text({ about: 'Who released it.', nullable: true, min: 1, max: 256 })
  released_by!: string | null;

  @DateTime({ about: 'When.', nullable: true })
  released_at!: string | null;
}

import {
  Choice,
  DateTime,
  Documented,
  Flag,
  Integer,
  ListReadLater,
  Text,
  TextList,
} from '../../../common/fields/fields.js';
import {
  NODE_KINDS,
  type NodeKind,
  OBSERVED_ID,
  RISK_CLASSES,
  type RiskClass,
} from '../../governance/observe/observe.types.js';
import { STEP_STATUSES, type StepStatus } from '../../governance/observe/observe.types.js';
import { ImportedFact } from '../facts/fact-imports.service.js';
import { AnyJson, Decimal } from '../../../common/fields/fields.js';
import { MAX_ID, MAX_PAYLOAD_BYTES } from '../graph/graph.types.js';
import { PACK_REVISION, PACK_SCHEMA } from './packs.types.js';

const MAX_PRINCIPAL = 200;
const MAX_ENTRIES = 200_000;
const MAX_STEPS = 10_000;
const MAX_PRINCIPALS = 10_000;
const MAX_U32 = 2 ** 32 - 1;
const MICROS = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

const Entries = (about: string, max = MAX_ENTRIES) =>
  ListReadLater({ about, type: () => Object, optional: true, min: 0, max });

/** A pack but for what is in its lists. */
export class PackDocument {
  @Choice({ about: 'The format.', values: [PACK_SCHEMA] })
  schema!: string;

  @Integer({ about: 'Which revision of the format; 1 unless given.', min: 1, max: PACK_REVISION, default: 1 })
  revision!: number;

  @DateTime({ about: 'As of when.', optional: true })
  created_at?: string;

  @Documented({ about: 'What made it: {product, version}.', optional: true, schema: { type: 'object' } })
  source?: unknown;

  @Text({ about: 'RFC 7638 thumbprint of the key that signed it.', optional: true, min: 1, max: 256 })
  passport_fpr?: string;

  @Documented({ about: '{algorithm, public_key, value}.', optional: true, schema: { type: 'object' } })
  signature?: unknown;

  @TextList({ about: 'Whose private content it holds.', optional: true, max: MAX_PRINCIPAL, maxItems: MAX_PRINCIPALS })
  principals?: string[];

  @Entries('Facts.')
  facts?: unknown[];

  @Entries('Observed sessions.')
  sessions?: unknown[];

  @Entries('Entities.')
  entities?: unknown[];

  @Entries('Edges.')
  edges?: unknown[];

  @Entries('Relations.')
  relations?: unknown[];

  @Entries('Cases.')
  cases?: unknown[];

  @Entries('Candidates.')
  candidates?: unknown[];

  @Entries('Engrams.')
  engrams?: unknown[];
}

/** A fact as PUT /v1/facts takes it, and whose it is. Several of one entity and key are its versions, oldest first. */
export class PackFact extends ImportedFact {
  @Text({
    about: 'Of a private fact the principal that sees it; the importer unless given.',
    optional: true,
    min: 1,
    max: MAX_PRINCIPAL,
  })
  owner?: string;
}

export class PackStep {
  @Text({ about: 'Its id within the session.', pattern: OBSERVED_ID, max: 128 })
  node_id!: string;

  @Text({
    about: 'The step above it, which stands before it; null of a root.',
    nullable: true,
    pattern: OBSERVED_ID,
    max: 128,
  })
  parent_id!: string | null;

  @Text({ about: 'What it was.', min: 1, max: 1024 })
  label!: string;

  @Text({ about: 'Who took it.', min: 1, max: 256 })
  actor!: string;

  @Choice({ about: 'Its kind.', values: NODE_KINDS })
  kind!: NodeKind;

  @Choice({ about: 'Its class of risk.', values: RISK_CLASSES, default: 'minimal' })
  risk_class!: RiskClass;

  @Choice({ about: 'How it ended.', values: STEP_STATUSES })
  status!: StepStatus;

  @Flag({ about: 'Whether only its owner and admin scopes see it.', default: false })
  'private'!: boolean;

  @Text({ about: 'Who opened it.', min: 1, max: MAX_PRINCIPAL })
  owner!: string;

  @DateTime({ about: 'When it began.' })
  ts_start!: string;

  @DateTime({ about: 'When it ended; null while it is open.', nullable: true })
  ts_end!: string | null;

  @ListReadLater({ about: 'What went in.', type: () => Object, optional: true, min: 0, max: 1000 })
  inputs?: unknown[];

  @ListReadLater({ about: 'What came out.', type: () => Object, optional: true, min: 0, max: 1000 })
  outputs?: unknown[];
}

export class PackSession {
  @Text({ about: 'Its id.', pattern: OBSERVED_ID, max: 128 })
  session_id!: string;

  @Text({ about: 'The principal that opened it.', min: 1, max: MAX_PRINCIPAL })
  opened_by!: string;

  @DateTime({ about: 'When it was opened.' })
  opened_at!: string;

  @ListReadLater({
    about: 'Its steps, each after its parent.',
    type: () => Object,
    optional: true,
    min: 0,
    max: MAX_STEPS,
  })
  steps?: unknown[];
}

export class PackRelation {
  @Integer({ about: 'The artifact it goes out from.', min: 0, max: MAX_U32 })
  from_id!: number;

  @Integer({ about: 'The artifact it goes to.', min: 0, max: MAX_U32 })
  to_id!: number;

  @Text({ about: 'Its type.', min: 1, max: 64 })
  edge_type!: string;

  @Decimal({ about: 'How sure it is.', min: 0, max: 1, default: 1 })
  confidence!: number;

  @Integer({ about: 'When it came to be, in microseconds since 1970.', optional: true, ...MICROS })
  created_at_micros?: number;

  @Integer({ about: 'When it last changed.', optional: true, ...MICROS })
  updated_at_micros?: number;
}

/** A version of an engram. */
export class PackEngramVersion {
  @AnyJson({ about: 'What it is, as PUT /v1/entities/engram/{name} takes it.', maxBytes: MAX_PAYLOAD_BYTES })
  payload!: unknown;

  @TextList({ about: 'Labels that point at this version.', optional: true, max: 63, maxItems: 100, default: [] })
  labels!: string[];
}

/** An engram: the entity of kind `engram` of this name, in its newest version. */
export class PackEngram extends PackEngramVersion {
  @Text({ about: 'Its name.', min: 1, max: MAX_ID })
  name!: string;

  @ListReadLater({
    about: 'Versions before, oldest first.',
    type: () => Object,
    optional: true,
    min: 0,
    max: MAX_STEPS,
  })
  earlier?: unknown[];
}

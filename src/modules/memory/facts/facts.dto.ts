import { MAX_ENTITY, MAX_KEY } from './facts.types.js';
import {
  Choice,
  DateTime,
  Decimal,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { MAX_SOURCE_ID, MAX_SOURCES } from './fact-sources.types.js';
import { FactSourceReply, ReplacedFactReply } from './fact-sources.dto.js';
import { HORIZON_CLASSES, type HorizonClass } from './facts.types.js';

/** Bounds of names and values, in UTF-16 code units. */
const MAX_VALUE = 1024 * 1024;

/** A fact to be stored (memory-daemon.md 2.2, D36, D37). */
export class StoreFactRequest {
  @Text({ about: 'What the fact is about.', min: 1, max: MAX_ENTITY, example: 'user:ada' })
  entity!: string;

  @Text({
    about: 'Which fact of it. The same entity and key again is a new version.',
    min: 1,
    max: MAX_KEY,
    example: 'city',
  })
  key!: string;

  @Text({ about: 'The value, as text.', max: MAX_VALUE, example: 'London' })
  value!: string;

  @Text({ about: "The caller's own digest of its tenant, kept as it is sent.", optional: true, max: 256 })
  tenant_hash?: string;

  @Text({
    about:
      'The receipt of what the fact was learnt from: the UUID of an execution receipt of the tenant, or `blake3:<hex>` of a retrieval receipt.',
    optional: true,
    min: 1,
    max: 512,
  })
  source_receipt?: string;

  @TextList({
    about:
      'What the fact was learnt from: ids of passages (chunkId of a search), documents (corpusId/docId), facts (fact_id), answers (answerId) or receipts (the UUID of an execution receipt, `blake3:<hex>` of a retrieval receipt). Each must be there; reads say when one has changed.',
    optional: true,
    max: MAX_SOURCE_ID,
    maxItems: MAX_SOURCES,
  })
  sources?: string[];

  @Uuid({
    about:
      'The fact_id that the writer knows as the current one of this entity and key. Where another is, or none, nothing is stored and the answer is 409.',
    optional: true,
  })
  expected_fact_id?: string;

  @Decimal({ about: 'How sure the writer is, 0 to 1, kept as a 32-bit float.', min: 0, max: 1, default: 1 })
  confidence!: number;

  @Flag({
    about: 'Whether only its writer and admin scopes see it. Entities under a reserved prefix are always private.',
    default: false,
  })
  'private'!: boolean;

  @Choice({
    about:
      'How fast confidence fades: by half in 30 days (ephemeral), by half in 180 (session), never (durable, permanent).',
    values: HORIZON_CLASSES,
    default: 'durable',
  })
  horizon_class!: HorizonClass;

  @Text({
    about: 'Who says so; the acting passport unless given. Another one is kept as a claim, and marked so.',
    optional: true,
    min: 1,
    max: 256,
  })
  actor?: string;

  @DateTime({ about: 'From when it holds; from when it is stored unless given.', optional: true })
  valid_from?: string;

  @DateTime({ about: 'Until when it holds; without end unless given.', optional: true })
  valid_to?: string;
}

/** A fact as it is stored (memory-daemon.md 2.2; A-05). */
export class FactReply {
  @Uuid({ about: 'Names this record: each version has its own.' })
  fact_id!: string;

  @Text({ about: 'What the fact is about.' })
  entity!: string;

  @Text({ about: 'Which fact of it.' })
  key!: string;

  @Text({ about: 'The value; only its beginning where value_truncated says so.' })
  value!: string;

  @Flag({
    about: 'The value is only its beginning: GET /v1/facts/{factId} has the whole. Absent otherwise.',
    optional: true,
  })
  value_truncated?: true;

  @Text({ about: 'Who says so.' })
  actor!: string;

  @Flag({
    about: 'The actor is what the writer said, and its credential says another. Absent otherwise.',
    optional: true,
  })
  actor_claimed?: true;

  @Text({ about: 'Whose credential wrote it; null of facts older than this record of it.', nullable: true })
  written_by!: string | null;

  @Decimal({ about: 'How sure the writer was.' })
  confidence!: number;

  @Choice({ about: 'How fast confidence fades.', values: HORIZON_CLASSES })
  horizon_class!: HorizonClass;

  @Integer({ about: 'Tokens of the whole value (o200k_base).' })
  tokens!: number;

  @Integer({
    about: 'Counts the records of this entity and key from 1, deletions too; private ones of each writer apart.',
  })
  version!: number;

  @DateTime({ about: 'When it was stored.' })
  stored_at!: string;

  @Flag({ about: 'Whether only its writer and admin scopes see it.' })
  'private'!: boolean;

  @Uuid({
    about: 'The receipt that binds it with what was stored at once; null of facts older than these.',
    nullable: true,
  })
  receipt_id!: string | null;

  @DateTime({ about: 'From when it holds, where that was said.', optional: true })
  valid_from?: string;

  @DateTime({ about: 'Until when it holds, where that was said.', optional: true })
  valid_to?: string;

  @Flag({ about: 'True while an incident has it set aside: reads by its id alone find it.', optional: true })
  quarantined?: boolean;

  @Text({ about: 'The receipt of what it was learnt from, where that was said.', optional: true })
  source_receipt?: string;

  @Text({ about: "The writer's digest of its tenant, where one was sent.", optional: true })
  tenant_hash?: string;

  @Uuid({ about: 'The record that retired it; absent while it is the latest.', optional: true })
  superseded_by?: string;

  @ListOf({ about: 'What it was learnt from, where that was said.', optional: true, type: () => FactSourceReply })
  sources?: FactSourceReply[];

  @Flag({
    about: 'One of its sources has changed or is gone: check it before you rely on it. Absent otherwise.',
    optional: true,
  })
  source_changed?: true;
}

/** A fact that was just stored. */
export class StoredFactReply extends FactReply {
  @Nested({
    about: 'The fact that was current until now, where one was.',
    optional: true,
    type: () => ReplacedFactReply,
  })
  replaces?: ReplacedFactReply;
}

export class StoredFactsReply {
  @ListOf({ about: 'The facts.', type: () => StoredFactReply })
  facts!: StoredFactReply[];
}

export class FactsReply {
  @ListOf({ about: 'The facts.', type: () => FactReply })
  facts!: FactReply[];
}

export class FactDeleted {
  @Flag({ about: 'true: a tombstone supersedes it.' })
  deleted!: true;
}

export class FactPath {
  @Text({ about: 'The fact_id of a record.', min: 1, max: 2048 })
  factId!: string;
}

export class EntityPath {
  @Text({
    about:
      'The entity, percent-encoded. One of `.` or `..` alone HTTP clients take out of an address: GET /v1/facts?entity= reads it.',
    min: 1,
    max: 2048,
  })
  entity!: string;
}

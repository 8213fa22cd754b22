import {
  Choice,
  DateTime,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  OneOf,
  Text,
  Uuid,
} from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantMember } from '../../../common/fields/shared-members.js';
import { ProofCompletedEvent, SchemaAdoptedEvent, WatchAlertEvent } from './journal/journal-data.dto.js';
import { JOURNAL_TYPES, POSTED_TYPES, type JournalType, type PostedType } from './journal/journal.types.js';

const JOURNAL_ORDERS = ['newest', 'oldest'] as const;
export type JournalOrder = (typeof JOURNAL_ORDERS)[number];

export class JournalEventSent {
  @TenantMember()
  tenantId?: string;

  @Choice({ about: 'What happened.', values: POSTED_TYPES, example: 'schema_adopted' })
  type!: PostedType;

  @OneOf({
    about: 'The facts of it, by type: a WatchAlertEvent, a ProofCompletedEvent or a SchemaAdoptedEvent.',
    types: [WatchAlertEvent, ProofCompletedEvent, SchemaAdoptedEvent],
    example: { name: 'trip-report', version: '2.1.0' },
  })
  data!: object;

  @Text({
    about:
      "The sender's name for the event, unique in the agent's journal: a repeat under it adds nothing, however late.",
    optional: true,
    min: 1,
    max: 255,
  })
  eventId?: string;

  @DateTime({ about: 'When it happened, where that was not just now; not in the future.', optional: true })
  occurredAt?: string;
}

export class JournalRecord {
  @Integer({ about: "Its number in the agent's journal: 1, 2, 3, without gaps.", min: 1 })
  seq!: number;

  @Uuid({ about: 'Its id.' })
  entryId!: string;

  @Text({ about: "The sender's name for the event.", nullable: true })
  eventId!: string | null;

  @Choice({ about: 'What happened.', values: JOURNAL_TYPES })
  type!: JournalType;

  @Text({ about: 'What it is about: the watch, the proof job, the schema, or kind/name of the primitive.' })
  subject!: string;

  @FreeObject({ about: 'The facts of it, by type; docs/continuity.md has them all.' })
  data!: Record<string, unknown>;

  @Text({ about: 'Its source: api for what was posted, else the part of the product.', example: 'proofs' })
  source!: string;

  @Text({ about: 'The principal that did it; null where the product noticed it by itself.', nullable: true })
  actor!: string | null;

  @DateTime({ about: 'When it happened.' })
  occurredAt!: string;

  @DateTime({ about: 'When it was written down; grows with seq.' })
  recordedAt!: string;
}

export class JournalAppended {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @Flag({ about: 'Whether the journal held the event already, under its eventId; nothing was added then.' })
  duplicate!: boolean;

  @Nested({ about: 'The entry as it stands in the journal.', type: () => JournalRecord })
  entry!: JournalRecord;
}

export class JournalList {
  @ListOf({ about: 'Entries in the order asked for.', type: () => JournalRecord })
  entries!: JournalRecord[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class JournalQuery extends PageQuery {
  @Choice({ about: 'Only this type.', values: JOURNAL_TYPES, optional: true })
  type?: JournalType;

  @Text({ about: 'Only entries about this subject.', optional: true, min: 1, max: 2000 })
  subject?: string;

  @DateTime({ about: 'Only what was written down at this time or later.', optional: true })
  from?: string;

  @DateTime({ about: 'Only what was written down before this time.', optional: true })
  to?: string;

  @Choice({ about: 'Which come first.', values: JOURNAL_ORDERS, default: 'newest' })
  order!: JournalOrder;
}

import { Choice, DateTime, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { Count, HasMore, Id, NextCursor, Schema } from './capability-records.dto.js';
import { AUDIT_STATUSES, type AuditStatus } from './capabilities.types.js';

const MAX_NOTES = 10_000;

export class AuditCapability {
  @Choice({
    about: 'What the audit found. waived: it is decided that none is needed; unaudited takes back what was said.',
    values: AUDIT_STATUSES,
  })
  status!: AuditStatus;

  @Text({ about: 'Who audited; the caller when absent.', optional: true, min: 1, max: 300 })
  auditor?: string;

  @Text({ about: 'What was found. Secrets in it are masked before it is stored.', optional: true, max: MAX_NOTES })
  notes?: string;

  @Integer({
    about: 'The number of the audit that this one follows, 0 for none: 409 when there is a later one.',
    optional: true,
    min: 0,
    max: 2 ** 31 - 1,
  })
  base_version?: number;
}

export class MaskedSecret {
  @Text({ about: 'What kind of secret it was.' })
  kind!: string;

  @Count('Where it began in what was sent, in UTF-16 units.')
  start!: number;

  @Count('Where it ended.')
  end!: number;
}

export class AuditReply {
  @Id()
  capability_id!: string;

  @Choice({ about: 'What the audit found.', values: AUDIT_STATUSES })
  status!: AuditStatus;

  @Text({ about: 'Who audited.' })
  auditor!: string;

  @DateTime({ about: 'When.' })
  last_audited!: string;

  @Text({ about: 'What was found.', nullable: true })
  notes!: string | null;

  @Integer({ about: 'Counts the audits of the capability from 1.', min: 1 })
  version!: number;

  @ListOf({ about: 'Secrets that were masked in the notes.', type: () => MaskedSecret })
  screened!: MaskedSecret[];

  @Text({ about: 'The principal that recorded it.' })
  created_by!: string;

  @Uuid({ about: 'Its signed receipt.' })
  receipt_id!: string;
}

export class CapabilityAuditList {
  @Schema()
  schema!: string;

  @Count('How many there are on this page.')
  count!: number;

  @ListOf({ about: 'Audits, newest first.', type: () => AuditReply })
  audits!: AuditReply[];

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

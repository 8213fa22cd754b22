import {
  Choice,
  DateTime,
  Documented,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uint64,
} from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { AUDIT_STATUSES, MATURITIES, type AuditStatus, type Maturity } from './capabilities.types.js';

const MAX_ID = 128;
/** As Uint64 fields have it: a JSON number, or text where it is past 2^53 - 1. */
export const NUMBER = {
  oneOf: [
    { type: 'integer', minimum: 0, exclusiveMaximum: 2 ** 64 },
    { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' },
  ],
};

export const Schema = () => Text({ about: 'The form of this answer and its version.' });
export const Count = (about: string) => Integer({ about, min: 0 });
export const HasMore = () => Flag({ about: 'Whether another page follows.' });
export const NextCursor = () => Text({ about: 'Where the next page starts; null on the last.', nullable: true });
export const Id = (about = 'The capability.') => Text({ about, example: 'svc-daemon.facts' });

export class CapabilityPath {
  @Text({ about: 'The capability.', min: 1, max: MAX_ID, example: 'svc-daemon.facts' })
  id!: string;
}

export class CapabilityQuery extends PageQuery {
  @Text({ about: 'Only those of this system.', optional: true, min: 1, max: 300, example: 'svc-daemon' })
  system?: string;

  @Choice({ about: 'Only those of this maturity.', values: MATURITIES, optional: true })
  maturity?: Maturity;

  @Choice({ about: 'Only those whose last audit says so.', values: AUDIT_STATUSES, optional: true })
  audit?: AuditStatus;

  @Uint64({ about: 'Only those that keep the promise of this number.', optional: true })
  promise?: number | string;

  @Text({
    about: 'Only those whose id, name, routes, flags or tools hold this text, whatever its case.',
    optional: true,
    min: 1,
    max: 200,
  })
  search?: string;
}

export class CapabilityReference {
  @Id()
  id!: string;

  @Text({ about: 'What it is called.' })
  name!: string;

  @Text({ about: 'The system it belongs to.' })
  system!: string;

  @Choice({ about: 'How far it is.', values: MATURITIES })
  maturity!: Maturity;
}

export class CapabilityAudit {
  @Choice({ about: 'What the last audit found.', values: AUDIT_STATUSES })
  status!: AuditStatus;

  @Text({ about: 'Who audited; null before the first audit.', nullable: true })
  auditor!: string | null;

  @DateTime({ about: 'When; null before the first audit.', nullable: true })
  last_audited!: string | null;

  @Text({ about: 'What was found.', nullable: true })
  notes!: string | null;

  @Count('Counts the audits of the capability; 0 before the first.')
  version!: number;
}

export class CapabilityRecord extends CapabilityReference {
  @Documented({
    about: 'The numbers of the promises that it keeps; text where a number is past 2^53 - 1.',
    schema: { type: 'array', items: NUMBER },
  })
  promises!: (number | string)[];

  @TextList({ about: 'Its routes.' })
  routes!: string[];

  @TextList({ about: 'The flags that it is behind.' })
  flags!: string[];

  @TextList({ about: 'Its tools.' })
  tools!: string[];

  @TextList({ about: 'The files that test it.' })
  tests!: string[];

  @TextList({ about: 'Ids of what it rests on.' })
  upstream!: string[];

  @TextList({ about: 'Ids of what rests on it.' })
  downstream!: string[];

  @Nested({ about: 'What the tenant of the caller judged of it last.', type: () => CapabilityAudit })
  audit!: CapabilityAudit;
}

export class CapabilityList {
  @Schema()
  schema!: string;

  @Count('How many there are on this page.')
  count!: number;

  @ListOf({ about: 'Capabilities, in the order of their ids.', type: () => CapabilityRecord })
  items!: CapabilityRecord[];

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class TreeStep extends CapabilityReference {
  @Integer({ about: 'How many steps from the root.', min: 1 })
  depth!: number;

  @Id('The one before it on the shortest way.')
  via!: string;
}

export class CapabilityTree {
  @Schema()
  schema!: string;

  @Nested({ about: 'The capability.', type: () => CapabilityRecord })
  root!: CapabilityRecord;

  @ListOf({ about: 'All that it rests on, nearest first, each once.', type: () => TreeStep })
  upstream!: TreeStep[];

  @ListOf({ about: 'All that rests on it, nearest first, each once.', type: () => TreeStep })
  downstream!: TreeStep[];
}

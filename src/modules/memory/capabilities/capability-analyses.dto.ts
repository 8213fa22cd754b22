import { Choice, Decimal, Documented, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { CapabilityReference, Count, HasMore, NextCursor, NUMBER, Schema } from './capability-records.dto.js';
import { AUDIT_STATUSES, GAPS, type AuditStatus, type Gap } from './capabilities.types.js';

export class GapItem extends CapabilityReference {
  @Documented({ about: 'What it lacks.', schema: { type: 'array', items: { type: 'string', enum: [...GAPS] } } })
  gaps!: Gap[];
}

export class GapTotals {
  @Count('How many have no test.')
  no_test!: number;

  @Count('How many nobody audited.')
  no_audit!: number;

  @Count('How many failed their last audit.')
  failed_audit!: number;
}

export class CapabilityGaps {
  @Schema()
  schema!: string;

  @Count('How many capabilities have a gap.')
  total!: number;

  @Nested({ about: 'How many have which.', type: () => GapTotals })
  totals!: GapTotals;

  @Count('How many there are on this page.')
  count!: number;

  @ListOf({ about: 'Capabilities with their gaps, in the order of their ids.', type: () => GapItem })
  gaps!: GapItem[];

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class PromiseKeeper extends CapabilityReference {
  @Choice({ about: 'What its last audit found.', values: AUDIT_STATUSES })
  audit!: AuditStatus;
}

export class PromiseItem {
  @Documented({ about: 'The number of the promise; text where it is past 2^53 - 1.', schema: NUMBER })
  promise!: number | string;

  @ListOf({ about: 'Who keeps it.', type: () => PromiseKeeper })
  kept_by!: PromiseKeeper[];
}

export class CapabilityPromises {
  @Schema()
  schema!: string;

  @Count('How many promises there are.')
  total!: number;

  @Count('How many there are on this page.')
  count!: number;

  @ListOf({ about: 'Promises, in the order of their numbers.', type: () => PromiseItem })
  promises!: PromiseItem[];

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class CoverageCounts {
  @Count('How many capabilities there are.')
  capabilities!: number;

  @Count('How many of them have a test.')
  tested!: number;

  @Count('How many were audited, or waived.')
  audited!: number;

  @Count('How many passed their last audit.')
  passed!: number;

  @Count('How many keep a promise.')
  promising!: number;

  @Decimal({ about: 'Of all, those with a test.', min: 0, max: 1 })
  tested_share!: number;

  @Decimal({ about: 'Of all, those that were audited, or waived.', min: 0, max: 1 })
  audited_share!: number;

  @Decimal({ about: 'Of all, those that passed.', min: 0, max: 1 })
  passed_share!: number;
}

export class SystemCoverage extends CoverageCounts {
  @Text({ about: 'The system.' })
  system!: string;
}

export class CapabilityCoverage {
  @Schema()
  schema!: string;

  @Nested({ about: 'All systems together.', type: () => CoverageCounts })
  total!: CoverageCounts;

  @ListOf({ about: 'Each system, in the order of their names.', type: () => SystemCoverage })
  systems!: SystemCoverage[];
}

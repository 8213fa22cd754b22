import { Choice, DateTime, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantMember } from '../../../common/fields/shared-members.js';
import { OperatorAnswer } from './operator-answer.dto.js';
import {
  CURRENCIES,
  DECLARATION_STATES,
  PERIODS,
  VERDICTS,
  type Currency,
  type DeclarationState,
  type DeclarationVerdict,
  type Period,
  type RevenueTotal,
} from './revenue.types.js';

const MAX_AMOUNT = 1_000_000_000;

export class DeclarationPath {
  @Uuid({ about: 'The declaration.' })
  id!: string;
}

export class DeclarationSent {
  @TenantMember()
  tenantId?: string;

  @Text({
    about: 'What it would be paid for: a feature in a few words. Declarations of one subject are added up.',
    min: 1,
    max: 200,
    example: 'pdf-export',
  })
  subject!: string;

  @Integer({
    about: 'How much, in minor units of the currency (pence, cents): 1250 is 12.50.',
    min: 1,
    max: MAX_AMOUNT,
    example: 1250,
  })
  amountMinor!: number;

  @Choice({ about: 'ISO 4217.', values: CURRENCIES })
  currency!: Currency;

  @Choice({ about: 'How often.', values: PERIODS })
  period!: Period;

  @Uuid({ about: 'The feedback request it is about, where there is one.', optional: true })
  requestId?: string;

  @Text({ about: 'The agent that declares it, where one does.', optional: true, min: 1, max: 512 })
  agentId?: string;

  @Text({ about: 'Under which conditions.', optional: true, min: 1, max: 2000 })
  note?: string;
}

export class DeclarationReviewSent {
  @TenantMember()
  tenantId?: string;

  @Choice({
    about:
      'accepted or rejected, from pending or needs_info, are the end of it; needs_info, from pending, leaves it open.',
    values: VERDICTS,
  })
  decision!: DeclarationVerdict;

  @Text({ about: 'Why.', min: 1, max: 2000 })
  reason!: string;
}

export class DeclarationChangeRecord {
  @Choice({ about: 'Status before; null for the first.', values: DECLARATION_STATES, nullable: true })
  from!: DeclarationState | null;

  @Choice({ about: 'Status after.', values: DECLARATION_STATES })
  to!: DeclarationState;

  @Text({ about: 'Who; `operator` is who runs the server.' })
  principal!: string;

  @Text({ about: 'Why.', nullable: true })
  reason!: string | null;

  @DateTime({ about: 'When.' })
  at!: string;
}

export class DeclarationRecord {
  @Uuid({ about: 'The declaration.' })
  declarationId!: string;

  @Text({ about: 'The agent that declared it.', nullable: true })
  agentId!: string | null;

  @Text({ about: 'What it would be paid for.' })
  subject!: string;

  @Uuid({ about: 'The feedback request it is about.', nullable: true })
  requestId!: string | null;

  @Integer({ about: 'How much, in minor units.', min: 1 })
  amountMinor!: number;

  @Choice({ about: 'ISO 4217.', values: CURRENCIES })
  currency!: Currency;

  @Choice({ about: 'How often.', values: PERIODS })
  period!: Period;

  @Text({ about: 'Under which conditions.', nullable: true })
  note!: string | null;

  @Choice({ about: 'Where it stands.', values: DECLARATION_STATES })
  status!: DeclarationState;

  @Text({ about: 'Who declared it.' })
  declaredBy!: string;

  @DateTime({ about: 'When it was declared.' })
  declaredAt!: string;

  @DateTime({ about: 'When its status last changed.' })
  updatedAt!: string;

  @Nested({
    about: 'What the operator of the server last answered; null while nothing. The history has every answer.',
    nullable: true,
    type: () => OperatorAnswer,
  })
  operatorAnswer!: OperatorAnswer | null;

  @ListOf({ about: 'Every change of its status and every answer, oldest first.', type: () => DeclarationChangeRecord })
  history!: DeclarationChangeRecord[];
}

export class RevenueTotalRecord implements RevenueTotal {
  @Choice({ about: 'ISO 4217. Currencies are never added up.', values: CURRENCIES })
  currency!: Currency;

  @Choice({ about: 'How often. Periods are never converted.', values: PERIODS })
  period!: Period;

  @Choice({ about: 'Status of the declarations.', values: DECLARATION_STATES })
  status!: DeclarationState;

  @Integer({ about: 'How many there are.', min: 1 })
  count!: number;

  @Integer({ about: 'Their sum, in minor units.', min: 1 })
  totalMinor!: number;

  @Integer({
    about: 'Their median, in minor units; of an even number the lower one, so that it is an amount that was declared.',
    min: 1,
  })
  medianMinor!: number;

  @Integer({ about: 'The least, in minor units.', min: 1 })
  minMinor!: number;

  @Integer({ about: 'The most, in minor units.', min: 1 })
  maxMinor!: number;
}

export class RevenueSubjectTotal extends RevenueTotalRecord {
  @Text({ about: 'What it would be paid for.' })
  subject!: string;
}

export class RevenueSummary {
  @Integer({ about: 'Declarations that the filters let through.', min: 0 })
  count!: number;

  @ListOf({ about: 'Over all subjects, by currency, period and status.', type: () => RevenueTotalRecord })
  totals!: RevenueTotalRecord[];

  @ListOf({ about: 'The same by subject, one page of them.', type: () => RevenueSubjectTotal })
  subjects!: RevenueSubjectTotal[];

  @ListOf({
    about: 'The oldest 50 that wait for a review, pending and needs_info, whatever the filters say.',
    type: () => DeclarationRecord,
    max: 50,
  })
  awaiting_review!: DeclarationRecord[];

  @Text({ about: 'Where the next page of subjects starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class RevenueQuery extends PageQuery {
  @Choice({ about: 'Only this currency.', values: CURRENCIES, optional: true })
  currency?: Currency;

  @Choice({ about: 'Only this period.', values: PERIODS, optional: true })
  period?: Period;

  @Choice({ about: 'Only those with this status.', values: DECLARATION_STATES, optional: true })
  status?: DeclarationState;

  @Text({ about: 'Only this subject.', optional: true, min: 1, max: 200 })
  subject?: string;

  @Text({ about: 'Only what this agent declared.', optional: true, min: 1, max: 512 })
  agentId?: string;
}

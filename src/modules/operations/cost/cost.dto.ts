import { Choice, DateTime, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageQuery } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { COST_FORMATS, DIMENSIONS, type CostFormat } from './cost.types.js';

const optional = true;
const nullable = true;
/** More tokens than any call of a model takes. */
const MAX_TOKENS = 1_000_000_000;
const DAY = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

const Named = (about: string, example: string) => Text({ about, optional, min: 1, max: 200, example });
const Tokens = (about: string) => Integer({ about, min: 0, max: MAX_TOKENS, default: 0 });
const Sum = (about: string) => Integer({ about, min: 0 });

/** What was used: the data of a CloudEvent. */
export class UsageData {
  @Text({ about: 'The model.', min: 1, max: 200, example: 'gpt-5-mini' })
  model!: string;

  @Tokens('Tokens that went in.')
  tokens_in!: number;

  @Tokens('Tokens that came out.')
  tokens_out!: number;

  @Text({
    about: 'Whose usage it is; the acting passport of the request when absent.',
    optional,
    pattern: PASSPORT,
    max: 128,
  })
  passport?: string;

  @Named('The project it is for.', 'lighthouse')
  project?: string;

  @Named('Where it was used.', 'chat')
  surface?: string;
}

/** A CloudEvent (version 1.0) about usage; what else it says is refused, so that nothing is lost unseen. */
export class UsageEvent {
  @Text({ about: 'Its name within its source: sent again, it counts once.', min: 1, max: 200, example: 'call-7' })
  id!: string;

  @Text({ about: 'Who made it.', optional, max: 200, example: '/agents/codex' })
  source?: string;

  @Text({ about: 'The version of CloudEvents.', optional, pattern: /^1\.0$/ })
  specversion?: string;

  @Text({ about: 'What it is; not looked at.', optional, max: 200, example: 'svc.usage' })
  type?: string;

  @DateTime({ about: 'When it was; the time of the request when absent.', optional })
  time?: string;

  @Nested({ about: 'What was used.', type: () => UsageData })
  data!: UsageData;
}

export class ReportUsage {
  @ListOf({ about: 'The events.', type: () => UsageEvent, min: 1, max: 1000 })
  events!: UsageEvent[];

  @TenantIdMember('The tenant whose usage it is; that of the credential when absent.', { optional })
  tenant_id?: string;
}

/** An event of which another was kept before. */
export class UsageConflict {
  @Text({ about: 'Its id.' })
  id!: string;

  @Text({ about: 'Its source.' })
  source!: string;
}

export class ReportedUsage {
  @Sum('Events that were kept.')
  accepted!: number;

  @Sum('Events that were there already; they count once.')
  duplicates!: number;

  @ListOf({
    about: 'Those of the duplicates that say otherwise than what is kept. What is kept stays.',
    type: () => UsageConflict,
  })
  conflicts!: UsageConflict[];

  @Text({ about: 'The receipt of what was kept; null where nothing was.', nullable })
  receipt_id!: string | null;
}

export class CostQuery extends PageQuery {
  @Text({ about: 'The first day, in UTC; 30 days ago when absent.', optional, pattern: DAY, example: '2026-01-01' })
  from?: string;

  @Text({ about: 'The last day, in UTC; today when absent.', optional, pattern: DAY, example: '2026-01-31' })
  to?: string;

  @TextList({
    about: `What usage is added up by, of ${DIMENSIONS.join(', ')}, separated by commas; or the parameter several times.`,
    max: 100,
    minItems: 1,
    maxItems: DIMENSIONS.length,
    default: ['day'],
  })
  group_by!: string[];

  @Named('Only of this model.', 'gpt-5-mini')
  model?: string;

  @Named('Only of this passport.', 'codex:7')
  passport?: string;

  @Named('Only of this project.', 'lighthouse')
  project?: string;

  @Named('Only of this surface.', 'chat')
  surface?: string;

  @Choice({ about: 'The form of the answer.', values: COST_FORMATS, default: 'json' })
  format!: CostFormat;

  @TenantIdMember('The tenant whose usage is meant; that of the credential when absent.', { optional })
  tenant_id?: string;
}

/** What tokens cost by the price list of the operator. */
export class Cost {
  @Text({ about: 'The currency of the list.', example: 'USD' })
  currency!: string;

  @Text({ about: 'How much, exactly, as a decimal number.', example: '0.0125' })
  amount!: string;

  @Sum('Tokens of models that the list has no price for: they are not in the amount.')
  unpriced_tokens!: number;
}

export class CostTotal {
  @Sum('How many events.')
  events!: number;

  @Sum('Tokens that went in.')
  tokens_in!: number;

  @Sum('Tokens that came out.')
  tokens_out!: number;

  @Nested({ about: 'What they cost; null where the operator set no price list.', type: () => Cost, nullable })
  cost!: Cost | null;
}

/** One group. What it is grouped by is a member; the others are absent. */
export class CostRow extends CostTotal {
  @Text({ about: 'The day, in UTC.', optional })
  day?: string;

  @Text({ about: 'The model.', optional })
  model?: string;

  @Text({ about: 'The passport; null where events say none.', optional, nullable })
  passport?: string | null;

  @Text({ about: 'The project; null where events say none.', optional, nullable })
  project?: string | null;

  @Text({ about: 'The surface; null where events say none.', optional, nullable })
  surface?: string | null;
}

export class CostReport {
  @Text({ about: 'The form of this answer.', example: 'svc.cost/1' })
  schema!: string;

  @Text({ about: 'The first day.' })
  from!: string;

  @Text({ about: 'The last day.' })
  to!: string;

  @TextList({ about: 'What the rows are grouped by, in the order they are sorted in.' })
  group_by!: string[];

  @ListOf({ about: 'The groups, by their members.', type: () => CostRow })
  rows!: CostRow[];

  @Nested({ about: 'Of all groups, on all pages.', type: () => CostTotal })
  total!: CostTotal;

  @Integer({ about: 'How many rows this page holds.', min: 0 })
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

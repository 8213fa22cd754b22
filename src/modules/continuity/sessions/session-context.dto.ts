import { Choice, DateTime, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { ENCODING } from '../../../common/tokens/tokenizer.js';
import type { OpenWatch } from './continuity.types.js';
import { JournalRecord } from './journal.dto.js';
import { WATCH_TARGETS, type WatchTarget } from './journal/journal.types.js';
import { PrimitiveRecord } from './primitives.dto.js';
import { StalePinRecord } from './stale-pins.dto.js';

const MAX_BUDGET = 32_000;

export class SessionContextQuery {
  @Integer({
    about: 'How many tokens of o200k_base the text may have at most.',
    min: 1,
    max: MAX_BUDGET,
    default: 2000,
  })
  token_budget!: number;
}

export class ContextWatch implements OpenWatch {
  @Text({ about: 'The watch.' })
  watchId!: string;

  @Choice({ about: 'What is watched.', values: WATCH_TARGETS })
  targetType!: WatchTarget;

  @Text({ about: 'Which of them.' })
  targetId!: string;

  @Text({ about: 'Why it is watched.', nullable: true })
  note!: string | null;

  @Integer({ about: 'Alerts it has raised.', min: 0 })
  alertCount!: number;

  @DateTime({ about: 'When it was made.' })
  createdAt!: string;
}

export class ContextOmitted {
  @Integer({ about: 'Primitives in force that are not shown.', min: 0 })
  primitives!: number;

  @Integer({ about: 'Stale pins that are not shown.', min: 0 })
  stale_pins!: number;

  @Integer({ about: 'Open watches that are not shown.', min: 0 })
  watches!: number;

  @Integer({ about: 'Journal entries that are not shown.', min: 0 })
  journal!: number;
}

export class SessionContext {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @Integer({ about: 'The budget it was made for.', min: 1 })
  tokenBudget!: number;

  @Integer({ about: 'Tokens that the text has: never more than the budget.', min: 0 })
  tokensUsed!: number;

  @Choice({ about: 'What the tokens are counted in.', values: [ENCODING] })
  encoding!: typeof ENCODING;

  @Text({
    about:
      'Everything below in words, to be put into a prompt as it is. Empty when the budget is too small for a heading.',
  })
  text!: string;

  @ListOf({
    about: 'What the text shows of the primitives: goals, constraints, preferences, skills.',
    type: () => PrimitiveRecord,
  })
  primitives!: PrimitiveRecord[];

  @ListOf({ about: 'What it shows of the stale pins.', type: () => StalePinRecord })
  stale_pins!: StalePinRecord[];

  @ListOf({ about: 'What it shows of the open watches, newest first.', type: () => ContextWatch })
  watches!: ContextWatch[];

  @ListOf({ about: 'What it shows of the journal, newest first.', type: () => JournalRecord })
  journal!: JournalRecord[];

  @Nested({ about: 'How many of each were left out because the budget was full.', type: () => ContextOmitted })
  omitted!: ContextOmitted;
}

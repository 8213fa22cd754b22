import { AnyJson, Choice, DateTime, Integer, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { AGGREGATE_OPS, type AggregateOp } from './aggregates.rules.js';
import { FactReply } from './facts.dto.js';
import { MAX_ENTITY, MAX_KEY } from './facts.types.js';

const OP =
  'count: how many facts; sum, avg, min, max: of their values read as decimal numbers; latest: the newest value; distinct: how many different values.';

/** What POST /v1/facts/aggregate takes. */
export class AggregateRequest {
  @Choice({ about: OP, values: AGGREGATE_OPS })
  op!: AggregateOp;

  @Text({ about: 'Only facts about this entity.', optional: true, min: 1, max: MAX_ENTITY })
  entity?: string;

  @Text({ about: 'Only facts of this key.', optional: true, min: 1, max: MAX_KEY })
  key?: string;

  @Text({ about: 'Only the 1,000 facts that rank best for these words.', optional: true, min: 1, max: 4096 })
  query?: string;

  @DateTime({ about: 'The facts as they held then.', optional: true })
  as_of?: string;

  @Integer({
    about:
      'Tokens of values at most: facts are taken newest first, or best first for a query, until the next would exceed it.',
    optional: true,
    min: 0,
    max: 2_147_483_647,
  })
  token_budget?: number;
}

export class AggregateReply {
  @Choice({ about: OP, values: AGGREGATE_OPS })
  op!: AggregateOp;

  @AnyJson({
    about:
      'The result: a number; decimal text where a JSON number would not be exact; the text of the newest value for latest; null where there is nothing to make it of.',
  })
  value!: number | string | null;

  @Integer({ about: 'How many values it was made of.' })
  count!: number;

  @Integer({ about: 'Facts that were considered but whose values are no numbers; 0 for ops that need none.' })
  skipped!: number;

  @Integer({ about: 'Facts that were considered.' })
  considered!: number;

  @Integer({ about: 'Tokens of the values of those.' })
  total_tokens!: number;

  @Nested({ about: 'The newest fact, for latest.', optional: true, type: () => FactReply })
  fact?: FactReply;

  @TextList({
    about: 'The first 1,000 different values, for distinct; of each the first 1,024 characters.',
    optional: true,
  })
  values?: string[];
}

import { Choice, DateTime, Integer, ListOf, Nested, Text, Uuid } from '../../../../common/fields/fields.js';
import { OUTCOMES, type Outcome } from '../shield.types.js';

export class SamplingMatch {
  @Text({
    about:
      'Only decisions on this action: the address of a route (`POST /v1/economy/*` for all that begin so) or the name of a tool. A route that only reads leaves decisions on calls that were not simply allowed: name it with outcome deny or approval_required.',
    optional: true,
    nullable: true,
    min: 1,
    max: 300,
  })
  action?: string | null;

  @Choice({ about: 'Only decisions with this outcome.', values: OUTCOMES, optional: true, nullable: true })
  outcome?: Outcome | null;

  @Text({
    about: 'Only decisions on calls of this principal: key:<id>, seat:<id> or agent:<id>.',
    optional: true,
    nullable: true,
    min: 1,
    max: 120,
  })
  principal?: string | null;
}

export class SamplingPolicyRequest {
  @Text({ about: 'Its name. One of that name is changed.', min: 1, max: 120, example: 'a tenth of what is refused' })
  name!: string;

  @Nested({
    about: 'Which decisions it looks at; all members that are given must fit. Left out: all.',
    type: () => SamplingMatch,
    optional: true,
  })
  match?: SamplingMatch;

  @Integer({
    about: 'How many in a million it keeps: 1000000 keeps all, 0 none.',
    min: 0,
    max: 1_000_000,
    example: 100_000,
  })
  ratePerMillion!: number;
}

export class SamplingPolicy {
  @Uuid({ about: 'The policy.' })
  samplingPolicyId!: string;

  @Text({ about: 'Its name.' })
  name!: string;

  @Nested({ about: 'Which decisions it looks at; a member that is null fits all.', type: () => SamplingMatch })
  match!: SamplingMatch;

  @Integer({ about: 'How many in a million it keeps.', min: 0, max: 1_000_000 })
  ratePerMillion!: number;

  @Integer({ about: 'Decisions it kept so far.', min: 0 })
  sampled!: number;

  @Text({ about: 'Why it keeps less than it seems to; null where it does not.', nullable: true })
  remark!: string | null;

  @DateTime({ about: 'When it was made.' })
  createdAt!: string;

  @Text({ about: 'The principal that changed it last.' })
  updatedBy!: string;

  @DateTime({ about: 'When that was.' })
  updatedAt!: string;
}

export class SamplingPolicyList {
  @ListOf({ about: 'Policies by name.', type: () => SamplingPolicy })
  samplingPolicies!: SamplingPolicy[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

import { Choice, DateTime, Flag, Integer, ListOf, Text, Uuid } from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { SWITCH_MODES, SWITCH_SCOPES, type SwitchMode, type SwitchScope } from '../shield.types.js';

const TARGET =
  'What of that scope: the address of a route as this document writes it (`POST /v1/ingest`; `POST /v1/economy/*` for all that begin so) or the name of a tool; a principal (`key:<id>`, `seat:<id>`, `agent:<id>`); a serverId; a publisherId. Left out for scope tenant.';

export class KillSwitchRequest {
  @Choice({ about: 'What it stops calls by.', values: SWITCH_SCOPES, example: 'action' })
  scope!: SwitchScope;

  @Text({ about: TARGET, optional: true, nullable: true, min: 1, max: 300, example: 'POST /v1/ingest' })
  target?: string | null;

  @Choice({
    about: 'deny refuses the calls; require_approval lets each through once another owner approved it.',
    values: SWITCH_MODES,
    default: 'deny',
    example: 'require_approval',
  })
  mode!: SwitchMode;

  @Flag({
    about:
      'Whether calls that change nothing are stopped too. A switch whose target is a reading route stops that route in any case.',
    default: false,
  })
  includeReads!: boolean;

  @Text({
    about: 'Why. Shown to callers that are stopped.',
    min: 1,
    max: 1000,
    example: 'Imports are reviewed this week',
  })
  reason!: string;

  @DateTime({ about: 'When it ends by itself.', optional: true, nullable: true })
  expiresAt?: string | null;
}

export class KillSwitch {
  @Uuid({ about: 'The switch.' })
  killSwitchId!: string;

  @Choice({ about: 'What it stops calls by.', values: SWITCH_SCOPES })
  scope!: SwitchScope;

  @Text({ about: 'What of that scope; null for the whole tenant.', nullable: true })
  target!: string | null;

  @Choice({ about: 'Whether it refuses, or asks for an approval.', values: SWITCH_MODES })
  mode!: SwitchMode;

  @Flag({ about: 'Whether calls that change nothing are stopped too.' })
  includeReads!: boolean;

  @Text({ about: 'Why it was set.' })
  reason!: string;

  @Flag({ about: 'Whether it stands now: neither lifted nor expired.' })
  active!: boolean;

  @Text({ about: 'The principal that set it.' })
  createdBy!: string;

  @DateTime({ about: 'When it was set.' })
  createdAt!: string;

  @DateTime({ about: 'When it ends by itself; null: when it is lifted.', nullable: true })
  expiresAt!: string | null;

  @Text({ about: 'The principal that lifted it.', nullable: true })
  liftedBy!: string | null;

  @DateTime({ about: 'When it was lifted.', nullable: true })
  liftedAt!: string | null;

  @Text({ about: 'Why it was lifted.', nullable: true })
  liftReason!: string | null;
}

export class KillSwitchChanged extends KillSwitch {
  @Integer({ about: 'The policy version from this change on.', min: 2 })
  policyVersion!: number;
}

export class KillSwitchList {
  @ListOf({ about: 'Switches, the newest first.', type: () => KillSwitch })
  killSwitches!: KillSwitch[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class KillSwitchListQuery extends PageQuery {
  @Flag({ about: 'Only those that stand, or only those that do not.', optional: true })
  active?: boolean;

  @Choice({ about: 'Only those of this scope.', values: SWITCH_SCOPES, optional: true })
  scope?: SwitchScope;
}

export class KillSwitchPath {
  @Uuid({ about: 'The switch.' })
  killSwitchId!: string;
}

export class LiftQuery {
  @Text({ about: 'Why it is lifted; kept with it.', default: 'No reason given', min: 1, max: 1000 })
  reason!: string;
}

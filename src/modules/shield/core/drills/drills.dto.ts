import { Choice, DateTime, Decimal, Flag, ListOf, Text, Uuid } from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { DRILL_KINDS, DRILL_STATES, type DrillKind, type DrillState } from './drills.types.js';

export class DrillRequest {
  @Choice({
    about:
      'kill_switch: one is set and must stop mutations and reads. revoked_digest: a tool definition is revoked and must not be used. approval_replay: a token is used twice. expired_approval: a token is used after its time. receipt_tampering: every byte of a signed receipt is changed, one at a time, and each copy must be found out.',
    values: DRILL_KINDS,
    example: 'kill_switch',
  })
  kind!: DrillKind;

  @Text({ about: 'Why it is run.', default: 'An incident drill', min: 1, max: 1000 })
  reason!: string;
}

export class DrillStepView {
  @Text({ about: 'What was done or looked at.' })
  name!: string;

  @Decimal({ about: 'When it was over, in milliseconds from the beginning of the drill.', min: 0 })
  atMs!: number;

  @Flag({ about: 'Whether it went as it should.' })
  ok!: boolean;

  @Text({ about: 'What was found.' })
  detail!: string;
}

export class Drill {
  @Uuid({ about: 'The drill.' })
  drillId!: string;

  @Choice({ about: 'Its fault.', values: DRILL_KINDS })
  kind!: DrillKind;

  @Text({ about: 'Why it is run.' })
  reason!: string;

  @Choice({ about: 'completed: it was performed, whatever it found; failed: it could not be.', values: DRILL_STATES })
  status!: DrillState;

  @Text({ about: 'The principal that asked for it.' })
  requestedBy!: string;

  @DateTime({ about: 'When it was asked for.' })
  requestedAt!: string;

  @DateTime({ about: 'When it began.', nullable: true })
  startedAt!: string | null;

  @DateTime({ about: 'When it was over.', nullable: true })
  completedAt!: string | null;

  @Flag({ about: 'Whether the fault was met; null before the end.', nullable: true })
  detected!: boolean | null;

  @Decimal({ about: 'Milliseconds from the fault to the refusal, as measured.', nullable: true, min: 0 })
  detectionMs!: number | null;

  @Decimal({ about: 'Milliseconds from its mending until all was as before, as measured.', nullable: true, min: 0 })
  recoveryMs!: number | null;

  @Flag({
    about:
      'Whether every step went as it should, the fault was met (that of kill_switch and revoked_digest within 1000 ms), and all was as before at the end.',
    nullable: true,
  })
  passed!: boolean | null;

  @ListOf({ about: 'What happened, in order.', type: () => DrillStepView })
  steps!: DrillStepView[];

  @Text({ about: 'Why it could not be performed.', nullable: true })
  error!: string | null;
}

export class DrillList {
  @ListOf({ about: 'Drills, the newest first.', type: () => Drill })
  incidentDrills!: Drill[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class DrillListQuery extends PageQuery {
  @Choice({ about: 'Only those of this kind.', values: DRILL_KINDS, optional: true })
  kind?: DrillKind;

  @Choice({ about: 'Only those with this status.', values: DRILL_STATES, optional: true })
  status?: DrillState;
}

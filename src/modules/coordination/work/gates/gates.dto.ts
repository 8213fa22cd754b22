import { Choice, DateTime, Integer, ListOf, Nested, Text, TextList } from '../../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../../common/fields/passport.js';
import { BLOCK_KINDS, WORK_STATES, type BlockKind, type WorkState } from '../work.types.js';
import { GATE_DECISIONS, GATE_STATUSES, type GateDecision, type GateStatus } from './gates.types.js';

const optional = true;
const nullable = true;
const MAX_REASON = 2_000;
const Passport = (about: string) => Text({ about, optional, max: 128, pattern: PASSPORT, example: 'codex:7' });

export class GatePath {
  @Text({ about: 'The pending gate.', min: 1, max: 120 })
  actionId!: string;
}

export class PendingGatesQuery extends PageQuery {
  @Passport('Only what this passport asked for.')
  by_passport?: string;
}

/** What of an item a gated move changes. */
export class GatedChange {
  @Choice({ about: 'The state.', values: WORK_STATES })
  state!: WorkState;

  @Choice({ about: 'What it waits for, as a kind, where that changes too.', values: BLOCK_KINDS, optional, nullable })
  blocker_kind?: BlockKind | null;

  @Text({ about: 'What it waits for, where that changes too.', optional, nullable })
  blocker_reason?: string | null;
}

export class PendingGate {
  @Text({ about: 'Its id.' })
  action_id!: string;

  @Text({ about: 'The item that it is about.' })
  work_id!: string;

  @Text({ about: 'The project of that item.' })
  project_id!: string;

  @Integer({ about: 'The version of the item that it is about: it lapses when the item changes.', min: 1 })
  item_version!: number;

  @Nested({ about: 'What the item has.', type: () => GatedChange })
  before!: GatedChange;

  @Nested({ about: 'What it is to have.', type: () => GatedChange })
  after!: GatedChange;

  @Text({ about: 'Why, as who asked for it said.', nullable })
  why!: string | null;

  @Text({ about: 'Who asked for it.' })
  requested_by!: string;

  @DateTime({ about: 'When.' })
  requested_at!: string;

  @DateTime({ about: 'When it lapses without a decision.' })
  expires_at!: string;

  @TextList({ about: 'Who may decide; `*`: every passport but the one that asked.' })
  may_decide!: string[];
}

export class PendingGates {
  @ListOf({ about: 'What waits for a decision, oldest first.', type: () => PendingGate })
  pending!: PendingGate[];

  @PageCount()
  count!: number;

  @NextCursor()
  next_cursor!: string | null;
}

export class DecideGate {
  @Passport('Who decides; the acting passport of the request when absent, and no other than that where it has one.')
  approver_passport?: string;

  @Text({ about: 'Why.', optional, min: 1, max: MAX_REASON })
  reason?: string;
}

export class DecideGateBy extends DecideGate {
  @Choice({ about: 'The decision.', values: GATE_DECISIONS })
  decision!: GateDecision;
}

export class WithdrawGate {
  @Passport('Who takes it back: who asked for it; the acting passport of the request when absent.')
  by_passport?: string;

  @Text({ about: 'Why.', optional, min: 1, max: MAX_REASON })
  reason?: string;
}

export class GateResolution extends PendingGate {
  @Choice({ about: 'What became of it.', values: GATE_STATUSES })
  status!: GateStatus;

  @Text({ about: 'Who decided.', nullable })
  decided_by!: string | null;

  @Text({ about: 'The same, of a decision to approve or to reject.', nullable })
  approver_passport!: string | null;

  @DateTime({ about: 'When.', nullable })
  decided_at!: string | null;

  @Text({ about: 'Why.', nullable })
  reason!: string | null;

  @Text({ about: 'The signed receipt of the decision.', nullable })
  receipt_id!: string | null;

  @Integer({ about: 'The version of the item after it.', min: 1 })
  work_version!: number;
}

export class GatePolicyQuery {
  @Text({ about: 'The project.', min: 1, max: 128 })
  project_id!: string;
}

export class SetGatePolicy extends GatePolicyQuery {
  @TextList({
    about:
      'Moves that need an approval, such as `in_progress>in_review`; `*` stands for any state: `*>cancelled`. Empty: none but those of every project.',
    max: 40,
    maxItems: 60,
  })
  moves!: string[];

  @TextList({
    about: 'The passports that may decide, but never on what they asked for themselves; null: any.',
    optional,
    nullable,
    max: 128,
    minItems: 1,
    maxItems: 50,
  })
  may_decide?: string[] | null;

  @Integer({ about: 'The version that you looked at: 409 where it is not the present one.', optional, min: 0 })
  base_version?: number;
}

export class GatePolicy {
  @Text({ about: 'The project.' })
  project_id!: string;

  @TextList({ about: 'Moves that need an approval.' })
  moves!: string[];

  @TextList({ about: 'Who may decide; null: any passport but the one that asked.', nullable })
  may_decide!: string[] | null;

  @Integer({ about: 'Counts its changes; 0: it was never set.', min: 0 })
  version!: number;

  @Text({ about: 'Who set it last.', nullable })
  changed_by!: string | null;

  @DateTime({ about: 'When.', nullable })
  changed_at!: string | null;
}

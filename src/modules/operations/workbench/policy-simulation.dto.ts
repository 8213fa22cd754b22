import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { MAX_REPLAYED, type FlipCause } from '../../shield/core/decisions/policy-simulation.types.js';
import {
  OUTCOMES,
  SWITCH_MODES,
  SWITCH_SCOPES,
  type Outcome,
  type SwitchMode,
  type SwitchScope,
} from '../../shield/core/shield.types.js';
import { WorkbenchAnswer } from './workbench.dto.js';

const optional = true;
const CAUSES = ['policy', 'state'] as const satisfies readonly FlipCause[];

export class ProposedWindow {
  @Integer({ about: 'Credits that a principal may spend.', min: 0, max: 1_000_000_000 })
  credits!: number;

  @Integer({ about: 'Within so many seconds.', min: 1, max: 30 * 86_400 })
  seconds!: number;
}

/** The members of the shield's policy; what is absent stays as it is. */
export class PolicyProposal {
  @Flag({ about: 'Whether every call that changes something must name its server.', optional })
  require_server_id?: boolean;

  @Flag({ about: 'Whether it must name its tool definition.', optional })
  require_tool_digest?: boolean;

  @Flag({ about: 'Whether what it names must be registered.', optional })
  require_registered?: boolean;

  @Nested({
    about: 'What a principal may spend before it needs approvals; null: no window.',
    ...{ type: () => ProposedWindow, optional, nullable: true },
  })
  spend_window?: ProposedWindow | null;
}

export class SwitchProposal {
  @Choice({ about: 'What it would stop calls by.', values: SWITCH_SCOPES })
  scope!: SwitchScope;

  @Text({ about: 'The action, principal, server or publisher; left out for scope tenant.', optional, min: 1, max: 300 })
  target?: string;

  @Choice({ about: 'What it would do.', values: SWITCH_MODES, default: 'deny' })
  mode!: SwitchMode;

  @Flag({ about: 'Whether reads are stopped too.', default: false })
  include_reads!: boolean;
}

export class PolicySimulationRequest {
  @Nested({ about: 'The policy that is proposed.', type: () => PolicyProposal, optional })
  policy?: PolicyProposal;

  @ListOf({ about: 'Kill switches that are proposed in addition.', type: () => SwitchProposal, optional, max: 50 })
  kill_switches?: SwitchProposal[];

  @Integer({ about: 'How many decisions are replayed, the newest.', min: 1, max: MAX_REPLAYED, default: 10_000 })
  last!: number;

  @Integer({ about: 'Flips that are listed at most, the newest first.', min: 0, max: 10_000, default: 200 })
  limit!: number;
}

export class PolicyFlip {
  @Uuid({ about: 'The decision that was recorded.' })
  decision_id!: string;

  @DateTime({ about: 'When it was made.' })
  decided_at!: string;

  @Text({ about: 'Who called.' })
  principal!: string;

  @Text({ about: 'What was to be done.' })
  action!: string;

  @Text({ about: 'The server that was named.', nullable: true })
  server_id!: string | null;

  @Text({ about: 'The tool definition that was named.', nullable: true })
  tool_digest!: string | null;

  @Choice({ about: 'What was decided.', values: OUTCOMES })
  was!: Outcome;

  @Text({ about: 'By which rule.' })
  was_rule!: string;

  @Choice({ about: 'What would be decided.', values: OUTCOMES })
  would_be!: Outcome;

  @Text({ about: 'By which rule.' })
  rule!: string;

  @Text({ about: 'Why.', nullable: true })
  reason!: string | null;

  @Choice({
    about:
      'policy: what is proposed makes the difference. state: the policy that holds would decide so too, since switches, trust or an approval have changed meanwhile.',
    values: CAUSES,
  })
  cause!: FlipCause;
}

export class PolicyFlipGroup {
  @Text({ about: 'What was to be done.' })
  action!: string;

  @Choice({ about: 'What was decided.', values: OUTCOMES })
  was!: Outcome;

  @Choice({ about: 'What would be decided.', values: OUTCOMES })
  would_be!: Outcome;

  @Text({ about: 'By which rule.' })
  rule!: string;

  @Choice({ about: 'As of a flip.', values: CAUSES })
  cause!: FlipCause;

  @Integer({ about: 'How many.' })
  count!: number;
}

export class OutcomeCounts {
  @Integer({ about: 'Let through.' })
  allow!: number;

  @Integer({ about: 'Held for an approval.' })
  approval_required!: number;

  @Integer({ about: 'Refused.' })
  deny!: number;
}

export class PolicySimulation extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.policy-simulation/1'] })
  schema!: 'svc.workbench.policy-simulation/1';

  @Integer({ about: 'The version of the policy that holds.' })
  policy_version!: number;

  @Integer({ about: 'Decisions that were replayed.' })
  replayed!: number;

  @DateTime({ about: 'When the first of them was made.', nullable: true })
  from!: string | null;

  @DateTime({ about: 'When the last was.', nullable: true })
  to!: string | null;

  @Nested({ about: 'As they were recorded.', type: () => OutcomeCounts })
  recorded!: OutcomeCounts;

  @Nested({ about: 'As they would be.', type: () => OutcomeCounts })
  proposed!: OutcomeCounts;

  @Integer({ about: 'Decisions that would be another.' })
  flips_total!: number;

  @ListOf({ about: 'Alike flips, the most first; 200 at most.', type: () => PolicyFlipGroup })
  groups!: PolicyFlipGroup[];

  @ListOf({ about: 'The newest flips.', type: () => PolicyFlip })
  flips!: PolicyFlip[];

  @TextList({ about: 'Actions that nothing serves any more: they are taken for such that change something.' })
  unknown_actions!: string[];
}

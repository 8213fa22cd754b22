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
} from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { SHA256_DIGEST } from '../../../../evidence/digest-forms.js';
import { KillSwitch } from '../kill-switches/kill-switches.dto.js';
import { Policy } from '../policy/policy.dto.js';
import { OUTCOMES, type Outcome } from '../shield.types.js';

export class Decision {
  @Uuid({ about: 'The decision; the id of its event too.' })
  decisionId!: string;

  @DateTime({ about: 'When it was made.' })
  decidedAt!: string;

  @Text({ about: 'The principal that called.' })
  principal!: string;

  @Text({ about: 'How it was authenticated.' })
  authType!: string;

  @Text({ about: 'What was to be done.' })
  action!: string;

  @Text({ about: 'The server the call named.', nullable: true })
  serverId!: string | null;

  @Text({ about: 'The tool definition the call named.', nullable: true })
  toolDigest!: string | null;

  @Text({ about: 'SHA-256 of the arguments in canonical form (RFC 8785).', pattern: SHA256_DIGEST })
  argumentsDigest!: string;

  @Choice({ about: 'What was decided.', values: OUTCOMES })
  outcome!: Outcome;

  @Text({ about: 'By which rule.', example: 'kill_switch' })
  rule!: string;

  @Text({ about: 'Why it was not simply allowed.', nullable: true })
  reason!: string | null;

  @Integer({ about: 'The policy version it was decided under.', min: 1 })
  policyVersion!: number;

  @Uuid({ about: 'The approval it asked for or used.', nullable: true })
  approvalRequestId!: string | null;

  @TextList({ about: 'The sampling policies that kept it for review.' })
  sampledBy!: string[];
}

export class DecisionList {
  @ListOf({ about: 'Decisions, the newest first.', type: () => Decision })
  decisions!: Decision[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class DecisionListQuery extends PageQuery {
  @Choice({ about: 'Only those with this outcome.', values: OUTCOMES, optional: true })
  outcome?: Outcome;

  @Text({ about: 'Only those on this action.', optional: true, min: 1, max: 300 })
  action?: string;

  @Text({ about: 'Only those on calls of this principal.', optional: true, min: 1, max: 120 })
  principal?: string;

  @Flag({ about: 'Only those that a sampling policy kept, or only the others.', optional: true })
  sampled?: boolean;
}

export class ShieldCounts {
  @Integer({ about: 'Publishers that are trusted.', min: 0 })
  trustedPublishers!: number;

  @Integer({ about: 'Publishers that are revoked.', min: 0 })
  revokedPublishers!: number;

  @Integer({ about: 'Tool definitions that are trusted.', min: 0 })
  trustedDigests!: number;

  @Integer({ about: 'Tool definitions that are revoked.', min: 0 })
  revokedDigests!: number;

  @Integer({ about: 'Servers that are active.', min: 0 })
  activeServers!: number;

  @Integer({ about: 'Servers that are quarantined or blocked.', min: 0 })
  restrictedServers!: number;

  @Integer({ about: 'Approval requests that wait for a decision.', min: 0 })
  pendingApprovals!: number;

  @Integer({ about: 'Sampling policies with a rate above 0.', min: 0 })
  samplingPolicies!: number;
}

export class ShieldCapabilities {
  @Integer({
    about: 'Counts every change of policy, trust and kill switches; an approval holds for one version.',
    min: 1,
  })
  policyVersion!: number;

  @TextList({ about: 'What a decision can be.' })
  outcomes!: string[];

  @TextList({ about: 'What is asked, in this order; the first that denies decides.' })
  order!: string[];

  @Nested({ about: 'What this tenant asks for on top; PUT /v1/shield/policy sets it.', type: () => Policy })
  policy!: Policy;

  @Integer({ about: 'An effect that spends more credits than this needs an approval.', min: 0 })
  spendingThresholdCredits!: number;

  @Integer({ about: 'How long an approval request and its token last.', min: 1 })
  approvalSeconds!: number;

  @TextList({ about: 'What a kill switch can stop calls by.' })
  killSwitchScopes!: string[];

  @TextList({ about: 'What a kill switch can do.' })
  killSwitchModes!: string[];

  @TextList({ about: 'Incident drills that can be run.' })
  drillKinds!: string[];

  @TextList({ about: 'Addresses that nothing switches off.' })
  alwaysOpen!: string[];

  @ListOf({ about: 'The kill switches that stand, the newest 200.', type: () => KillSwitch })
  activeKillSwitches!: KillSwitch[];

  @Nested({ about: 'How many there are of each.', type: () => ShieldCounts })
  counts!: ShieldCounts;
}

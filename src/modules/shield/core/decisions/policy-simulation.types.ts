import type { Outcome, PolicySettings, ShieldFacts, StandingSwitch } from '../shield.types.js';

/** Decisions that are replayed at most. */
export const MAX_REPLAYED = 100_000;

/** A decision as it was recorded, with what the call spent. */
export interface RecordedDecision {
  decisionId: string;
  decidedAt: Date;
  principal: string;
  authType: string;
  action: string;
  serverId: string | null;
  toolDigest: string | null;
  outcome: Outcome;
  rule: string;
  /** Credits that it spent, or would have. */
  credits: number;
}

/** What an action is: the route that a tool's call goes on to, and whether it changes anything. */
export interface ActionKind {
  route?: string;
  isRead: boolean;
}

/** All that decisions of a tenant rest on apart from the call, as it stands now. */
export interface StandingFacts {
  policyVersion: number;
  policy: PolicySettings;
  switches: StandingSwitch[];
  servers: Record<string, NonNullable<ShieldFacts['server']>>;
  digests: Record<string, NonNullable<ShieldFacts['digest']>>;
  publishers: ShieldFacts['publishers'];
}

/** What is proposed: members of the policy in place of those that hold, and switches in addition. */
export interface ProposedPolicy {
  policy: Partial<PolicySettings>;
  switches: StandingSwitch[];
}

/** Why a decision would be another: for what is proposed, or for what has changed since it was made. */
export type FlipCause = 'policy' | 'state';

/** A decision that would be another. */
export interface Flip {
  decision: RecordedDecision;
  outcome: Outcome;
  rule: string;
  reason: string | null;
  cause: FlipCause;
}

/** Flips that are alike. */
export interface FlipGroup {
  action: string;
  was: Outcome;
  outcome: Outcome;
  rule: string;
  cause: FlipCause;
  count: number;
}

export interface Simulation {
  replayed: number;
  /** The first and the last decision; undefined where there is none. */
  from: Date | undefined;
  to: Date | undefined;
  recorded: Record<Outcome, number>;
  proposed: Record<Outcome, number>;
  flips: Flip[];
  groups: FlipGroup[];
  /** Actions that nothing serves any more: decided as calls that change something. */
  unknownActions: string[];
  policyVersion: number;
}

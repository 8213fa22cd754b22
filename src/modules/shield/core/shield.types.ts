import type { ShieldCall } from '../../../common/call-policy/shield-pipeline.js';

export const OUTCOMES = ['allow', 'approval_required', 'deny'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const SWITCH_SCOPES = ['tenant', 'action', 'principal', 'server', 'publisher'] as const;
export type SwitchScope = (typeof SWITCH_SCOPES)[number];
export const SWITCH_MODES = ['deny', 'require_approval'] as const;
export type SwitchMode = (typeof SWITCH_MODES)[number];

export const TRUST_STATUSES = ['trusted', 'revoked'] as const;
export type TrustStatus = (typeof TRUST_STATUSES)[number];
export const SERVER_STATUSES = ['active', 'quarantined', 'blocked'] as const;
export type ServerStatus = (typeof SERVER_STATUSES)[number];

export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'used', 'expired', 'void'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A switch that stands, of those that may concern a call. */
export interface StandingSwitch {
  killSwitchId: string;
  scope: SwitchScope;
  target: string | null;
  mode: SwitchMode;
  includeReads: boolean;
  reason: string;
}

export interface SamplingRule {
  samplingPolicyId: string;
  action: string | null;
  outcome: Outcome | null;
  principal: string | null;
  ratePerMillion: number;
}

/** Credits that a principal may spend within so many seconds before it needs approvals. */
export interface SpendWindow {
  credits: number;
  seconds: number;
}

/** What a tenant asks for on top of what holds for all; off unless set. */
export interface PolicySettings {
  requireServerId: boolean;
  requireToolDigest: boolean;
  requireRegistered: boolean;
  requireUiIntegrity: boolean;
  spendWindow: SpendWindow | null;
}

/** The approval that a call rests on: the one whose token came with it, or that of an equal call. */
export interface PresentedApproval {
  approvalRequestId: string;
  /** With expiry taken into account. */
  state: ApprovalState;
  principal: string;
  action: string;
  serverId: string | null;
  toolDigest: string | null;
  argumentsDigest: string;
  policyVersion: number;
  /** The most it may spend; null where nobody was asked about spending. */
  spendCredits: number | null;
  endReason: string | null;
}

/** What a decision depends on in addition to the call: read in one statement, inside the unit of work of the effect. */
export interface ShieldFacts {
  policyVersion: number;
  policy: PolicySettings;
  switches: StandingSwitch[];
  sampling: SamplingRule[];
  /** Of the server the call names, where it is registered. */
  server: { status: ServerStatus; reason: string; publisherId: string; toolDigests: string[] } | null;
  /** Of the tool definition the call names, where it is registered. */
  digest: { status: TrustStatus; reason: string; publisherId: string | null } | null;
  /** Those of the server and of the definition. */
  publishers: { publisherId: string; status: TrustStatus; reason: string }[];
  approval: PresentedApproval | null;
  /** Whether the principal has approvals that stand; false of a call that came with a token. */
  hasApproved: boolean;
}

/** A call with the digest of its arguments, `sha256:<hex>`. */
export type DigestedCall = ShieldCall & { argumentsDigest: string };

/** Why a token does not open a call. */
export type VoidCause =
  | 'unknown'
  | 'used'
  | 'expired'
  | 'ended'
  | 'another_principal'
  | 'another_action'
  | 'arguments_changed'
  | 'tool_changed'
  | 'policy_changed';

type DenialType =
  | 'kill_switch'
  | 'revoked_digest'
  | 'revoked_publisher'
  | 'blocked_server'
  | 'untrusted_digest'
  | 'missing_server_id'
  | 'missing_tool_digest'
  | 'unregistered_server'
  | 'unregistered_digest'
  | 'approval_void';

export interface Denial {
  type: DenialType;
  reason: string;
  cause?: VoidCause;
}

export type Verdict =
  | { outcome: 'allow'; rule: AllowRule }
  | { outcome: 'approval_required'; rule: ApprovalRule; reason: string; spendCredits?: number }
  | { outcome: 'deny'; rule: DenialType; denial: Denial };
type AllowRule = 'always_open' | 'approved' | 'default';
type ApprovalRule = 'marked' | 'quarantined_server' | 'spending' | 'spend_window';

export const DRILL_KINDS = [
  'kill_switch',
  'revoked_digest',
  'approval_replay',
  'expired_approval',
  'receipt_tampering',
] as const;
export type DrillKind = (typeof DRILL_KINDS)[number];

/** How the calls of a drill are authenticated: the shield makes them itself. */
export const DRILL_AUTH_TYPE = 'drill';

export const DRILL_STATES = ['queued', 'running', 'completed', 'failed'] as const;
export type DrillState = (typeof DRILL_STATES)[number];

/** What the product promises where something was changed: every process follows within a second. */
export const DETECTION_LIMIT_US: Partial<Record<DrillKind, number>> = {
  kill_switch: 1_000_000,
  revoked_digest: 1_000_000,
};

export interface DrillStep {
  name: string;
  /** Microseconds since the drill began. */
  at_us: number;
  /** Whether it went as it should. */
  ok: boolean;
  detail: string;
}

export interface DrillResult {
  detectionUs: number | null;
  recoveryUs: number | null;
  steps: DrillStep[];
}

export interface DrillJob {
  tenantId: string;
  drillId: string;
}

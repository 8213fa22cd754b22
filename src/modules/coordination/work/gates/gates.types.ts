import type { BlockKind, WorkState } from '../work.types.js';

export const GATE_STATUSES = ['pending', 'approved', 'rejected', 'lapsed', 'withdrawn'] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];

/** What of an item a gated move changes. */
export interface GatedMembers {
  state: WorkState;
  blocker_kind?: BlockKind | null;
  blocker_reason?: string | null;
}

export const GATE_DECISIONS = ['approve', 'reject'] as const;
export type GateDecision = (typeof GATE_DECISIONS)[number];

/** Of whom and of what gates are; of all where nothing is given. */
export interface GateFilter {
  requestedPassport?: string | undefined;
  projectId?: string | undefined;
}

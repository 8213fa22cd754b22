import type { Check } from '../../../common/health/check.js';

/** The gates in the order of memory-daemon.md 4.11. */
export const GATE_NAMES = [
  'data_dir_capacity',
  'data_dir_lock_held',
  'routing_loaded',
  'replicated_commit_dataplane',
  'replicated_commit_topology',
  'read_retry_failed_threshold',
  'projection_snapshots_valid',
  'corruption_state_clear',
  'control_evidence_ok',
] as const;
export type GateName = (typeof GATE_NAMES)[number];

/** A check of the daemon's readiness. */
export type Gate = Check<GateName>;

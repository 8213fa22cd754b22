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

/** What a gate found. Probes are public: a detail names no tenant and no secret. */
export interface GateFinding {
  ok: boolean;
  /** What was seen; of a gate that fails, what is wrong and what to do. */
  detail: string;
  /** Some of the ids concerned. */
  samples?: readonly string[];
}

export interface Gate {
  readonly name: GateName;
  /** How long a finding is believed, in milliseconds; a second unless said otherwise. */
  readonly believedMs?: number;
  /** Looks at the real thing. A fault counts as what is wrong. */
  find(): Promise<GateFinding>;
}

export const passes = (detail: string): GateFinding => ({ ok: true, detail });
export const fails = (detail: string, samples?: readonly string[]): GateFinding => ({ ok: false, detail, samples });

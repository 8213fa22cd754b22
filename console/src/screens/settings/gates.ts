import type { Readiness } from '../../generated/daemon/types.gen.ts';

export type GateCheck = NonNullable<Readiness['checks']>[number];

/** The nine gates in words, and what to do when one fails (docs/readiness.md). */
const GATES: Record<GateCheck['gate'], [title: string, remedy: string]> = {
  data_dir_capacity: [
    'Free space in the data directory',
    'Free space on its file system, or lower SVCD_DATA_DIR_MIN_FREE_RATIO.',
  ],
  data_dir_lock_held: [
    'Lock of the data directory',
    'Stop the process that has it, or give each its own SVC_DATA_DIR. The lock is then taken by itself.',
  ],
  routing_loaded: ['Shard map', 'Mend the file of SVCD_SHARD_MAP_FILE. It is read again when it changes.'],
  replicated_commit_dataplane: [
    'Database that can replicate',
    'Set SVC_DATABASE_URL to a replicated PostgreSQL, or SVCD_COMMIT_MODE=local.',
  ],
  replicated_commit_topology: [
    'Synchronous standby',
    'See pg_stat_replication: at least one standby must stream as sync or quorum, and svc_operator needs pg_monitor.',
  ],
  read_retry_failed_threshold: [
    'Reads that had to be tried again',
    'Look into the log of PostgreSQL: something ends connections.',
  ],
  projection_snapshots_valid: [
    'Derived tables equal their sources',
    'The samples name the rows. svc doctor compares all of them and says how to rebuild.',
  ],
  corruption_state_clear: [
    'No damage',
    'Restore what svc doctor names, then run svc doctor --clear-corruption on the daemon’s machine.',
  ],
  control_evidence_ok: [
    'Evidence as it was signed',
    'Something signed was changed or deleted, or a key or migration is off. Run svc doctor before anything else writes.',
  ],
};

export const titleOf = (gate: string): string => GATES[gate as GateCheck['gate']]?.[0] ?? gate;
export const remedyOf = (gate: string): string =>
  GATES[gate as GateCheck['gate']]?.[1] ?? 'svc doctor says what to do.';

/** Those that fail first, in the daemon's order else. */
export const byUrgency = (checks: readonly GateCheck[]): GateCheck[] =>
  [...checks].sort((a, b) => Number(a.ok) - Number(b.ok));

export const WAITING_KINDS = ['candidate', 'gate', 'approval', 'mint_request', 'access_request'] as const;
/** What waits for somebody to decide. */
export type WaitingKind = (typeof WAITING_KINDS)[number];

export interface WaitingRow {
  readonly kind: WaitingKind;
  readonly id: string;
  readonly title: string;
  readonly requested_by: string;
  readonly waiting_since: Date;
  readonly expires_at: Date | null;
}

/** Counts of a tenant. */
export interface TenantCounts {
  readonly candidate: number;
  readonly gate: number;
  readonly approval: number;
  readonly mint_request: number;
  readonly access_request: number;
  readonly incidents: number;
  readonly holds: number;
  readonly peers: number;
  readonly sync_conflicts: number;
  readonly sync_held: number;
}

/** What the database says of itself. */
export interface DatabaseFigures {
  readonly bytes: number;
  readonly connections: number;
  readonly max_connections: number;
  readonly streams: number;
  readonly stream_events: number;
  readonly segments: number;
}

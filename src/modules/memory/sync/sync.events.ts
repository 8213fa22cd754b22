import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** One stream for what sync does in a tenant, so that it waits for no other writer of receipts. */
const STREAM = 'sync';

/** What was done with records of a peer, by verdict. */
export interface AppliedCounts {
  readonly [verdict: string]: number;
}

/** Records were taken in; `records` is the hash over their digests. */
export const syncApplied = (records: string, peerId: string | null, counts: AppliedCounts): AuditEntry => ({
  kind: 'sync.applied',
  subject: records,
  facts: { peerId, counts },
  stream: STREAM,
});

/** Deletions that legal holds had kept from being done were done once those were released. */
export const syncFreed = (tenantId: string, count: number): AuditEntry => ({
  kind: 'sync.applied',
  subject: tenantId,
  facts: { peerId: null, counts: { freed: count } },
  stream: STREAM,
});

/** Of a record with several versions one was chosen. */
export const syncResolved = (conflictId: string, collection: string, chosen: string): AuditEntry => ({
  kind: 'sync.resolved',
  subject: conflictId,
  facts: { collection, chosen },
  stream: STREAM,
});

export interface Offboarding {
  readonly membershipEpoch: string;
  readonly removed: number;
  readonly kept: number;
  readonly endedPeers: readonly string[];
}

/** The tenant left the peers it synced with. */
export const syncOffboarded = (tenantId: string, facts: Offboarding): AuditEntry => ({
  kind: 'sync.offboarded',
  subject: tenantId,
  facts,
  stream: STREAM,
});

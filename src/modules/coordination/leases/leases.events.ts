import type { LeaseEnd } from './lease-states.types.js';
import { leaseStreamOf, type LeaseEnding, type LeaseRow } from './leases.types.js';

/** The kinds of events and receipts of a lease. */
const LEASE_EVENTS = {
  work: {
    granted: 'work.claimed',
    renewed: 'work.renewed',
    released: 'work.released',
    forced: 'work.released',
    expired: 'work.lease_expired',
  },
  path: {
    granted: 'punchcard.acquired',
    renewed: 'punchcard.renewed',
    released: 'punchcard.released',
    forced: 'punchcard.forced',
    expired: 'punchcard.expired',
  },
} as const;

export type LeaseFacts = Pick<
  LeaseRow,
  'kind' | 'subject' | 'fence' | 'leaseId' | 'mode' | 'holderPassport' | 'heldBy' | 'expiresAt' | 'reason'
>;

/** What event and receipt say of a lease. */
const leaseFacts = ({
  kind,
  subject,
  fence,
  leaseId,
  mode,
  holderPassport,
  heldBy,
  expiresAt,
  reason,
}: LeaseFacts) => ({
  fence,
  ...(kind === 'work' ? { workId: subject } : { leaseId, resource: subject, mode }),
  holderPassport,
  heldBy,
  expiresAt: expiresAt.toISOString(),
  reason,
});

/** What they say in addition of its end. */
export const endingFacts = (status: LeaseEnd, { reason, byPassport, releaseCommitSha }: LeaseEnding) => ({
  status,
  ...(reason === undefined ? {} : { endReason: reason }),
  ...(byPassport === undefined ? {} : { byPassport }),
  ...(releaseCommitSha === undefined ? {} : { releaseCommitSha }),
});

export type LeaseChange = 'granted' | 'renewed' | LeaseEnd;

/**
 * Event and receipt of a change, in the chain of the item, or of the tenant's paths.
 * @param more what both say in addition
 */
export const leaseEntry = (change: LeaseChange, lease: LeaseFacts, more: object = {}) => ({
  kind: LEASE_EVENTS[lease.kind][change],
  subject: lease.kind === 'work' ? lease.subject : lease.leaseId,
  stream: leaseStreamOf(lease),
  facts: { ...leaseFacts(lease), ...more },
});

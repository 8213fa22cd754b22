import { renewBefore, type LeaseRow } from '../leases/leases.types.js';
import type { Conflict, Punchcard } from './punchcard-replies.dto.js';
import { MAX_NAMED } from './punchcards.types.js';

/** @param now of the database's clock */
export const punchcardOf = (lease: LeaseRow, now: Date, reentrant = false): Punchcard => ({
  id: lease.leaseId,
  resource: lease.subject,
  mode: lease.mode,
  status: lease.status === 'held' && lease.expiresAt <= now ? 'expired' : lease.status,
  held_by: lease.heldBy,
  holder_passport: lease.holderPassport,
  reason: lease.reason,
  tenant_id: lease.tenantId,
  acquired_at_unix_ms: lease.acquiredAt.getTime(),
  expires_at_unix_ms: lease.expiresAt.getTime(),
  renew_before_unix_ms: renewBefore(lease).getTime(),
  reentrant,
  fence: lease.fence,
  receipt_acquire: lease.receiptAcquire,
  receipt_end: lease.receiptEnd,
  ended_at_unix_ms: lease.endedAt?.getTime() ?? null,
  release_commit_sha: lease.releaseCommitSha,
});

/** What stands in the way, as an answer names it: those that last longest first. */
export const conflictsView = (leases: readonly LeaseRow[]): Conflict[] =>
  leases
    .toSorted((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime())
    .slice(0, MAX_NAMED)
    .map(conflictOf);

const conflictOf = (lease: LeaseRow): Conflict => ({
  id: lease.leaseId,
  resource: lease.subject,
  mode: lease.mode,
  holder_passport: lease.holderPassport,
  fence: lease.fence,
  expires_at_unix_ms: lease.expiresAt.getTime(),
});

/** In words. */
export function describeConflicts(leases: readonly LeaseRow[]): string {
  const [first] = leases.toSorted((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime());
  const { subject, mode, holderPassport, fence, expiresAt } = first!;
  const more = leases.length === 1 ? '' : `, and ${leases.length - 1} more`;
  return `${holderPassport} holds ${subject} (${mode}, fence ${fence}) until ${expiresAt.toISOString()}${more}`;
}

import type { LeaseRow } from './lease.entity.js';
import type { LeaseKind, LeaseMode } from './lease-states.types.js';

export type { LeaseRow } from './lease.entity.js';

/** Seconds that a lease lasts where nothing is said, and at most. */
export const DEFAULT_TTL_SECONDS = 900;
export const MAX_TTL_SECONDS = 86_400;

/** What a lease is of. */
export interface LeaseSubject {
  kind: LeaseKind;
  /** The id of the work item, or the normalised resource. */
  subject: string;
}

/** A lease that is to be granted. */
export interface LeaseDraft extends LeaseSubject {
  mode: LeaseMode;
  holder: string;
  heldBy: string;
  ttlSeconds: number;
  reason: string | null;
}

/** What is said of the end of a lease. */
export interface LeaseEnding {
  reason?: string | undefined;
  /** The passport that forced it. */
  byPassport?: string | undefined;
  releaseCommitSha?: string | undefined;
}

/** Whoever holds what another asks for. */
export type LeaseHolder = Pick<LeaseRow, 'fence' | 'holderPassport' | 'expiresAt'>;

/** The chain of receipts of a work item, and that of all path leases of a tenant. */
export const leaseStreamOf = ({ kind, subject }: LeaseSubject): string =>
  kind === 'work' ? `work/${subject}` : 'punchcards';

/** Two thirds of the time from the last renewal: whoever renews then has a third left for a second attempt. */
export const renewBefore = ({ renewedAt, expiresAt }: Pick<LeaseRow, 'renewedAt' | 'expiresAt'>): Date =>
  new Date(renewedAt.getTime() + Math.floor(((expiresAt.getTime() - renewedAt.getTime()) * 2) / 3));

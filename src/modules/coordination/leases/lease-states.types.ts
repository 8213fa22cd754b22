export type LeaseKind = 'work' | 'path';

export const LEASE_MODES = ['read', 'write'] as const;
/** Leases of the same path that read do not stand in each other's way. */
export type LeaseMode = (typeof LEASE_MODES)[number];

export const LEASE_STATUSES = ['held', 'released', 'forced', 'expired'] as const;
export type LeaseStatus = (typeof LEASE_STATUSES)[number];
export type LeaseEnd = Exclude<LeaseStatus, 'held'>;

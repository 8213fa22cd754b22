import { problem } from '../../../common/problem/problem.js';

/** The lease that a problem names. */
export interface NamedLease {
  fence: number;
  holder_passport: string;
  expires_at: string;
}

/** Of a renewal or a release that comes too late. */
export class LeaseEnded extends problem<{ fence: number; expires_at: string | null; newer: NamedLease | null }>(
  409,
  'LeaseEnded',
  'The lease has ended',
) {}

import { PassportHeaderMismatch } from '../problem/daemon-problems.js';
import type { DaemonCaller } from './daemon-caller.js';

/** The members of bodies by which a request names the passport that it acts as. */
export const NAMED_AS_ACTING = [
  'by_passport',
  'created_by_passport',
  'author_passport',
  'approver_passport',
  'agent_passport',
  'holder_passport',
] as const;

/**
 * The passport that a request acts as: the one its body names, else the acting passport of the credential.
 * @param member the member of the body that names it
 * @throws PassportHeaderMismatch where both are there and differ
 */
export function namedPassport(
  { passport }: Pick<DaemonCaller, 'passport'>,
  named: string | undefined,
  member: string,
): string | undefined {
  if (named === undefined || passport === undefined || named === passport) return named ?? passport;
  throw new PassportHeaderMismatch(
    {},
    `${member} must be the acting passport, ${passport}: the one of the token or of X-Svc-Passport-Id`,
  );
}

import type { LeaseRow } from '../leases/leases.types.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { UUID_FORM } from '../../../common/ids/uuid-form.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { sha256Digest } from '../../../evidence/digest.js';
import { doOverlap, readResource, storedResource, type Resource } from './resources.rules.js';
import { MAX_OF_HOLDER, MAX_OF_TENANT, type Asked, type LiveCard } from './punchcards.types.js';

/** Whether what somebody else holds may keep a holder from what it asks for; who reads keeps off writers alone. */
export const isRival = ({ lease }: LiveCard, { holder, mode }: Pick<Asked, 'holder' | 'mode'>): boolean =>
  lease.holderPassport !== holder && (mode === 'write' || lease.mode === 'write');

/** The punchcards of others that stand in the way, the oldest first. */
export const conflictsOf = (live: readonly LiveCard[], asked: Asked): LeaseRow[] =>
  live.filter((card) => isRival(card, asked) && doOverlap(card.resource, asked.resource)).map(({ lease }) => lease);

/** @returns what would be exceeded by one more */
export function limitReached(
  live: readonly LiveCard[],
  holder: string,
): { limit: number; of: 'tenant' | 'holder' } | undefined {
  if (live.length >= MAX_OF_TENANT) return { limit: MAX_OF_TENANT, of: 'tenant' };
  const own = live.filter(({ lease }) => lease.holderPassport === holder);
  return own.length >= MAX_OF_HOLDER ? { limit: MAX_OF_HOLDER, of: 'holder' } : undefined;
}

/** @throws ValidationFailed naming the member */
export function resourceAt(member: string, given: string): Resource {
  const resource = readResource(given);
  if (typeof resource === 'string') throw invalid(member, resource);
  return resource;
}

export const readLive = (leases: readonly LeaseRow[]): LiveCard[] =>
  leases.map((lease) => ({ lease, resource: storedResource(lease.subject) }));

const MAX_PASSPORT = 200;

/** The passport of the credential, else its principal: that may be long, where it is the subject of a token. */
export const passportOf = ({ passport, principal }: Pick<DaemonCaller, 'passport' | 'principal'>): string =>
  passport ?? (principal.length <= MAX_PASSPORT ? principal : sha256Digest(principal));

type Named = Pick<DaemonCaller, 'passport' | 'principal'>;

/** Its own, or one that it acquired for another. */
const isOwn = ({ holderPassport, heldBy }: LeaseRow, caller: Named): boolean =>
  [holderPassport, heldBy].includes(passportOf(caller));

/** What a credential without a passport is called, which is proven: no other acts by it. */
const PRINCIPAL = new RegExp(`^((key|seat|agent):${UUID_FORM}$|sub:)`);

/** A credential that bears no passport may name any (0397); one that does acts for itself and for whom it acquired. */
export const mayActFor = (card: LeaseRow, caller: Named): boolean =>
  isOwn(card, caller) || (caller.passport === undefined && !PRINCIPAL.test(card.holderPassport));

/** Whether a punchcard is that of a caller: of whom it names, else its own or one that it acquired for another. */
export const isHolder = (card: LeaseRow, named: string | undefined, caller: Named): boolean =>
  named === undefined ? isOwn(card, caller) : card.holderPassport === named && mayActFor(card, caller);

import type { DaemonCaller } from './daemon-caller.js';
import { namedPassport } from './named-passport.js';

/** Nobody in particular: the modes without tokens, where no passport was sent. */
export const ANONYMOUS = 'anonymous';

/** Who asks or decides: as the request names it, and as the credential does. */
export interface Party {
  passport: string | undefined;
  principal: string;
}

/** By whom something was asked for. */
export interface Requester {
  requestedPassport: string | null;
  requestedPrincipal: string;
}

/**
 * Who decides. A token that names nobody is nobody, whatever the body claims.
 * @throws PassportHeaderMismatch
 */
export function partyOf(caller: DaemonCaller, named: string | undefined, member: string): Party {
  const passport = namedPassport(caller, named, member);
  const isNobody = caller.principal === ANONYMOUS && caller.authType.startsWith('jwt');
  return { passport: isNobody ? undefined : passport, principal: caller.principal };
}

/** The names by which a party is known for certain, then the one it goes by. */
export const namesOf = ({ passport, principal }: Party): string[] => [
  ...(principal === ANONYMOUS ? [] : [principal, principal.replace(/^(passport|sub):/, '')]),
  ...(passport === undefined ? [] : [passport]),
];

/** Whether nothing says who a party is. */
export const isNobody = ({ passport, principal }: Party): boolean => passport === undefined && principal === ANONYMOUS;

/**
 * Whether two are one: by the passport they go by, or by their credentials. Without a credential that names somebody
 * the passport of the body is all there is.
 */
export const isRequester = (by: Party, { requestedPassport, requestedPrincipal }: Requester): boolean =>
  namesOf(by).some((name) => name === requestedPassport || name === requestedPrincipal);

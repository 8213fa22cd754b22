import type { DaemonCaller } from './daemon-caller.js';
import { namedPassport } from './named-passport.js';

/** Nobody in particular: the modes without tokens, where no passport was sent. */
export const ANONYMOUS = 'anonymous';

/** Who asks or decides: as the request names it, and as the credential does. */
export interface Party {
  passport: string | undefined;
  principal: string;
  /** Of its token, also where a passport is the principal. */
  subject?: string | undefined;
}

/** By whom something was asked for. */
export interface Requester {
  requestedPassport: string | null;
  requestedPrincipal: string;
  requestedSubject: string | null;
}

/**
 * Who decides. A token that names nobody is nobody, whatever the body claims.
 * @throws PassportHeaderMismatch
 */
export function partyOf(caller: DaemonCaller, named: string | undefined, member: string): Party {
  const passport = namedPassport(caller, named, member);
  const isNobody = caller.principal === ANONYMOUS && caller.authType.startsWith('jwt');
  return { passport: isNobody ? undefined : passport, principal: caller.principal, subject: caller.tokenSubject };
}

/** The names by which a party is known for certain, then the one it goes by. */
export const namesOf = ({ passport, principal }: Party): string[] => [
  ...(principal === ANONYMOUS ? [] : [principal, principal.replace(/^(passport|sub):/, '')]),
  ...(passport === undefined ? [] : [passport]),
];

/** Whether nothing says who a party is. */
export const isNobody = ({ passport, principal }: Party): boolean => passport === undefined && principal === ANONYMOUS;

/** What its credential proves, whatever passport it goes by: nothing where it names no more than that passport. */
export const provenOf = ({ principal, subject }: Party): string[] => [
  ...(principal === ANONYMOUS || principal.startsWith('passport:') ? [] : [principal]),
  ...(subject === undefined || subject === principal ? [] : [subject]),
];

/**
 * Whether two are one: by the passport they go by, or by their credentials. Without a credential that names somebody
 * the passport of the body is all there is.
 */
export const isRequester = (by: Party, requester: Requester): boolean => {
  const { requestedPassport, requestedPrincipal, requestedSubject } = requester;
  return [...namesOf(by), ...provenOf(by)].some((name) =>
    [requestedPassport, requestedPrincipal, requestedSubject].includes(name),
  );
};

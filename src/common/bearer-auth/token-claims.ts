import { isStorableText } from '../http/headers.js';
import { PASSPORT } from '../fields/passport.js';
import type { Identity } from './daemon-caller.js';

/** What a token says of its bearer, and when it expires. */
export interface TokenClaims extends Pick<Identity, 'passport' | 'principal' | 'tokenSubject' | 'tenants'> {
  scopes: ReadonlySet<string>;
  /** Seconds since 1970. */
  exp: number;
}

/** A claim that is missing or not what it has to be. */
export class MalformedClaim extends Error {}

/** A subject as OpenID Connect bounds it. */
const SUBJECT_LENGTH = 255;
const TENANT_LENGTH = 120;

/**
 * Reads the claims of a verified token (D35): `scope` (separated by blanks) or `scopes` (a list), `tenant_id` or
 * `tenants` (a list, `*` for all), `passport_id`, `sub`.
 * @param now milliseconds since 1970
 * @throws MalformedClaim naming the claim
 */
export function readClaims(payload: unknown, now: number, leewaySeconds: number): TokenClaims {
  const { claims, exp } = readTimes(payload, now, leewaySeconds);
  const { passport_id: passport, sub } = claims;
  if (passport !== undefined && !(typeof passport === 'string' && PASSPORT.test(passport)))
    throw new MalformedClaim('The passport_id of the token is not the name of a passport');
  if (sub !== undefined && !isName(sub, SUBJECT_LENGTH))
    throw new MalformedClaim(`The sub of the token is not text of 1 to ${SUBJECT_LENGTH} characters`);
  const tokenSubject = sub === undefined ? undefined : `sub:${sub}`;
  return {
    exp,
    passport,
    principal: passport === undefined ? (tokenSubject ?? 'anonymous') : `passport:${passport}`,
    tokenSubject,
    scopes: scopesIn(claims),
    tenants: tenantsIn(claims),
  };
}

/** The claims, and when they end. @throws MalformedClaim */
export function readTimes(
  payload: unknown,
  now: number,
  leewaySeconds: number,
): { claims: Record<string, unknown>; exp: number } {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    throw new MalformedClaim('The claims of the token are not an object');
  const claims = payload as Record<string, unknown>;
  const { exp, iat } = claims;
  if (!isTime(exp)) throw new MalformedClaim('The token has no exp, a number of seconds since 1970');
  if (iat !== undefined && !(isTime(iat) && iat * 1000 <= now + leewaySeconds * 1000))
    throw new MalformedClaim('The iat of the token is not a time that has been');
  return { claims, exp };
}

function scopesIn({ scope = '', scopes = [] }: Record<string, unknown>): ReadonlySet<string> {
  if (typeof scope !== 'string')
    throw new MalformedClaim('The scope of the token is not text of scopes separated by blanks');
  if (!Array.isArray(scopes) || !scopes.every((one) => typeof one === 'string'))
    throw new MalformedClaim('The scopes of the token are not a list of text');
  return new Set([...scope.split(/\s+/), ...scopes].filter((one) => one !== ''));
}

function tenantsIn({ tenant_id, tenants = [] }: Record<string, unknown>): readonly string[] | 'any' {
  if (tenant_id !== undefined && (!isName(tenant_id, TENANT_LENGTH) || tenant_id === '*'))
    throw new MalformedClaim('The tenant_id of the token is not the name of one tenant');
  if (!Array.isArray(tenants) || !tenants.every((one) => isName(one, TENANT_LENGTH)))
    throw new MalformedClaim('The tenants of the token are not a list of names of tenants');
  if (tenants.includes('*')) return 'any';
  return [...new Set([...(tenant_id === undefined ? [] : [tenant_id]), ...tenants])];
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Text that can be kept as the name of somebody. */
const isName = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= most && isStorableText(value);

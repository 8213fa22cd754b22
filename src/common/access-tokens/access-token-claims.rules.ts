import { inLowerCase } from '../fields/lower-case.js';
import { isStorableText } from '../http/headers.js';
import { MalformedClaim, readTimes } from '../bearer-auth/token-claims.js';

/** The claims that say who somebody is, as the settings name them. */
interface ClaimNames {
  person: string;
  /** Unset: no claim names the tenant. */
  tenant: string | undefined;
}

/** What an access token says of its bearer. */
export interface AccessTokenClaims {
  /** Seconds since 1970. */
  exp: number;
  scopes: ReadonlySet<string>;
  /** The e-mail address of a seat, in lower case. */
  person: string | undefined;
  tenant: string | undefined;
}

/** As a seat keeps it (RFC 5321, 4.5.3.1). */
const MAX_PERSON_LENGTH = 320;
const MAX_TENANT_LENGTH = 120;

/**
 * Reads the claims of a verified access token. One that names nobody is read too: it is refused with what it lacks, not
 * as a token that is not valid.
 * @param now milliseconds since 1970
 * @throws MalformedClaim naming the claim
 */
export function readAccessTokenClaims(
  names: ClaimNames,
  payload: unknown,
  now: number,
  leewaySeconds: number,
): AccessTokenClaims {
  const { claims, exp } = readTimes(payload, now, leewaySeconds);
  return { exp, scopes: scopesIn(claims), person: personIn(names.person, claims), tenant: tenantIn(names, claims) };
}

/** `scope` (RFC 9068, 2.2.3), or `scp` as some providers have it: text separated by blanks, or a list. */
function scopesIn({ scope, scp }: Record<string, unknown>): ReadonlySet<string> {
  const listed = [scope, scp].flatMap((one) => (typeof one === 'string' ? one.split(/\s+/) : (one ?? [])));
  if (!listed.every((one) => typeof one === 'string'))
    throw new MalformedClaim('The scope or scp of the token is neither text nor a list of text');
  return new Set(listed.filter((one) => one !== ''));
}

/** An address that nobody has shown to be theirs is nobody's. */
function personIn(name: string, claims: Record<string, unknown>): string | undefined {
  const value = own(claims, name);
  if (name === 'email' && claims['email_verified'] !== true) return undefined;
  return isText(value, MAX_PERSON_LENGTH) ? inLowerCase(value) : undefined;
}

const tenantIn = ({ tenant: name }: ClaimNames, claims: Record<string, unknown>): string | undefined => {
  const value = name === undefined ? undefined : own(claims, name);
  return isText(value, MAX_TENANT_LENGTH) ? value : undefined;
};

const own = (claims: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most && isStorableText(value);

/**
 * Which of the scopes a token must bear it lacks. Some providers name a scope by the address of its resource where it
 * is asked for and without it in the token, whose audience is that resource.
 */
export const missingScopes = (required: readonly string[], held: ReadonlySet<string>): string[] =>
  required.filter((scope) => !held.has(scope) && !held.has(scope.slice(scope.lastIndexOf('/') + 1)));

import { compactVerify, errors } from 'jose';
import { z } from 'zod';
import type { Draft } from '../../../evidence/signer.js';
import { VerifyingKey } from '../../../evidence/signing-key.js';
import {
  DelegationAudience,
  DelegationBroken,
  DelegationExpired,
  DelegationInvalid,
  DelegationMalformed,
  DelegationNotYetValid,
  DelegationTenant,
  DelegationWidened,
} from '../../../common/problem/peer-problems.js';
import { COLLECTIONS } from '../sync/sync.types.js';
import { faultOfPrefixes, findWider, rightsOf } from './peer-rights.rules.js';
import { PEER_SCOPES, type PeerRights } from './peers.types.js';

const DELEGATION_VERSION = '1.1';
const DELEGATION_TYPE = 'svc-delegation+jwt';
/** Delegations of one chain. */
const MAX_CHAIN = 5;
const MAX_PREFIXES = 100;
const MAX_PREFIX = 640;

const THUMBPRINT = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const SECONDS = z.int().min(0);
const HEADER = z.strictObject({ alg: z.literal('EdDSA'), typ: z.literal(DELEGATION_TYPE), kid: THUMBPRINT.optional() });
const JWK = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: THUMBPRINT });

/** What a delegation says. A member that is not known may be a restriction, so that it is refused. */
const CLAIMS = z.strictObject({
  v: z.literal(DELEGATION_VERSION),
  iss: THUMBPRINT,
  sub: THUMBPRINT,
  aud: THUMBPRINT,
  tenant_id: z.string().min(1).max(120),
  collections: z.array(z.enum(COLLECTIONS)).min(1),
  entity_prefixes: z.array(z.string().max(MAX_PREFIX)).min(1).max(MAX_PREFIXES),
  scopes: z.array(z.enum(PEER_SCOPES)).min(1).optional(),
  exp: SECONDS,
  nbf: SECONDS.optional(),
  jti: z.string().min(1).max(128),
  cnf: z.strictObject({ jwk: JWK }),
});
type DelegationClaims = z.infer<typeof CLAIMS>;

/** One delegation as it was sent; nothing of it is verified but its form. */
export interface Delegation {
  readonly token: string;
  readonly claims: DelegationClaims;
  /** The key of its subject. */
  readonly key: VerifyingKey;
}

/**
 * Reads the chain of a request.
 * @throws DelegationMalformed
 */
export function readChain(field: string): [Delegation, ...Delegation[]] {
  const tokens = field.split(',').map((token) => token.trim());
  if (tokens.length > MAX_CHAIN) throw new DelegationMalformed({}, `A chain has at most ${MAX_CHAIN} delegations`);
  return tokens.map(readDelegation) as [Delegation, ...Delegation[]];
}

function readDelegation(token: string): Delegation {
  try {
    const [header, payload, signature, ...others] = token.split('.');
    if (!signature || others.length > 0) throw new Error('it has not three parts');
    HEADER.parse(parse(header!));
    const claims = CLAIMS.parse(parse(payload!));
    const fault = faultOfPrefixes(claims.entity_prefixes);
    if (fault !== undefined) throw new Error(`entity_prefixes ${fault}`);
    const key = new VerifyingKey(Buffer.from(claims.cnf.jwk.x, 'base64url'));
    if (key.kid !== claims.sub) throw new Error('sub is not the thumbprint of cnf.jwk');
    return { token, claims, key };
  } catch (error) {
    throw new DelegationMalformed(
      {},
      `A delegation is no JWS of version ${DELEGATION_VERSION}, or was cut: ${reasonOf(error)}`,
    );
  }
}

const parse = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError))
    return error instanceof SyntaxError ? 'a part is no JSON' : (error as Error).message;
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
}

/** What a delegation is to say; its version, its form and the names of keys are added. */
export interface DelegationTerms extends Omit<DelegationClaims, 'v' | 'iss' | 'sub' | 'cnf'> {
  /** Who may act. */
  readonly to: VerifyingKey;
}

/**
 * A delegation by one key, to be signed with it.
 * @throws DelegationMalformed naming the member
 */
export function draftDelegation(issuer: string, { to, ...terms }: DelegationTerms): Draft<string> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(to.bytes).toString('base64url') };
  const claims = { v: DELEGATION_VERSION, iss: issuer, sub: to.kid, cnf: { jwk }, ...terms };
  const text = `${encode({ alg: 'EdDSA', typ: DELEGATION_TYPE, kid: issuer })}.${encode(claims)}`;
  const token = (signature: Uint8Array): string => `${text}.${Buffer.from(signature).toString('base64url')}`;
  // As whoever is asked will read it.
  readDelegation(token(new Uint8Array(64)));
  return { toBeSigned: Buffer.from(text), with: token };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Who delegates first, and what is asked. */
export interface ChainContext {
  readonly root: { readonly key: VerifyingKey; readonly rights: PeerRights };
  /** Thumbprint of this daemon's key; undefined where it has none. */
  readonly audience: string | undefined;
  readonly tenantId: string;
  /** Who signed the request: its thumbprint. */
  readonly signer: string;
  /** Seconds since 1970. */
  readonly now: number;
}

/**
 * What is left of the rights of the first issuer at the end of a chain. Each delegation is signed by the subject of the
 * one before, and gives no more.
 * @throws DelegationInvalid, DelegationBroken, DelegationAudience, DelegationTenant, DelegationExpired,
 * DelegationNotYetValid, DelegationWidened
 */
export async function followChain(chain: readonly Delegation[], context: ChainContext): Promise<PeerRights> {
  let { key, rights } = context.root;
  let until = Infinity;
  for (const delegation of chain) {
    const { claims } = delegation;
    if (claims.iss !== key.kid)
      throw new DelegationBroken({}, `A delegation is by ${claims.iss}, where ${key.kid} is the one to delegate`);
    await checkSigned(delegation, key);
    checkMeant(claims, context);
    rights = narrowed(rights, claims, until);
    until = claims.exp;
    key = delegation.key;
  }
  if (key.kid !== context.signer)
    throw new DelegationBroken({}, `The last delegation is to ${key.kid}, and ${context.signer} signed the request`);
  return rights;
}

async function checkSigned({ token }: Delegation, key: VerifyingKey): Promise<void> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.bytes).toString('base64url'), alg: 'EdDSA' };
  try {
    await compactVerify(token, jwk, { algorithms: ['EdDSA'] });
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new DelegationInvalid({}, `A delegation by ${key.kid} is not signed with that key, or was altered`);
  }
}

function checkMeant(
  { aud, tenant_id, exp, nbf = 0 }: DelegationClaims,
  { audience, tenantId, now }: ChainContext,
): void {
  if (aud !== audience)
    throw new DelegationAudience(
      {},
      `The delegation is for ${aud}; this daemon is ${audience ?? 'without a key, see svc peer key'}`,
    );
  if (tenant_id !== tenantId)
    throw new DelegationTenant({}, `The delegation is for the tenant ${tenant_id}, the address names ${tenantId}`);
  if (exp <= now) throw new DelegationExpired({}, `The delegation ended ${instant(exp)}`);
  if (nbf > now) throw new DelegationNotYetValid({}, `The delegation begins ${instant(nbf)}`);
}

function narrowed(given: PeerRights, claims: DelegationClaims, until: number): PeerRights {
  const asked = rightsOf({ ...claims, scopes: claims.scopes ?? [...given.scopes] });
  const wider = findWider(given, asked) ?? (claims.exp > until ? 'exp' : undefined);
  if (wider === undefined) return asked;
  const member = wider === 'prefixes' ? 'entity_prefixes' : wider;
  throw new DelegationWidened(
    {},
    `${member} of a delegation is wider than what its issuer has: a chain may only narrow`,
  );
}

const instant = (seconds: number): string => new Date(seconds * 1000).toISOString();

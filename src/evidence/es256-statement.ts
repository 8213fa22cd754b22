import { attempt } from './attempt.js';
import type { CborMap } from './cbor.js';
import { CborError } from './cbor.js';
import { parseCose, verifyCose } from './cose.js';
import { Es256VerifyingKey } from './forms/signature-keys.js';
import { type ChainedKey, isWithin, KEY_STREAM, type Term } from './key-chain.js';
import { openReceipt, SERVER_TENANT, type SignedReceipt } from './receipt.js';
import { checkShape, constant, COUNT, INSTANT, KEY_X, orNull, type Shape, TEXT } from './shape.js';

/** Of the receipt by which the server names a key on P-256, for COSE receipts of the log. */
export const ES256_KIND = 'key.es256';

/** Such a key as a JSON Web Key (RFC 7518 section 6.2). */
interface Es256Jwk {
  readonly alg: 'ES256';
  readonly crv: 'P-256';
  readonly exp?: number;
  readonly kid: string;
  readonly kty: 'EC';
  readonly nbf: number;
  readonly use: 'sig';
  readonly x: string;
  readonly y: string;
}

/** A key on P-256 to which the chain leads. */
export interface Es256Key {
  readonly key: Es256VerifyingKey;
  readonly term: Term;
  readonly jwk: Es256Jwk;
  readonly receipt: SignedReceipt;
}

/** What its statement says. */
interface Body {
  readonly key: Es256Jwk;
  /** The kid of the one before it; null for the first. */
  readonly replaces: string | null;
  /** When that one ends. */
  readonly ends: string | null;
}

const JWK: Shape = {
  members: {
    alg: constant('ES256'),
    crv: constant('P-256'),
    kid: TEXT,
    kty: constant('EC'),
    nbf: COUNT,
    use: constant('sig'),
    x: KEY_X,
    y: KEY_X,
  },
};
const BODY: Shape = { members: { ends: orNull(INSTANT), key: JWK, replaces: orNull(TEXT) } };

export const es256Body = (key: Es256VerifyingKey, from: Date, before: { kid: string; ends: Date } | null): CborMap => ({
  key: { ...key.toJwk(), nbf: Math.floor(from.getTime() / 1000) },
  replaces: before?.kid ?? null,
  ends: before?.ends.toISOString() ?? null,
});

/**
 * The keys on P-256 that statements name, oldest first: each signed by a key of the chain that signed receipts then.
 * What does not hold is left out.
 */
export function readEs256Keys(
  find: (kid: string) => Pick<ChainedKey, 'key' | 'terms'> | undefined,
  statements: readonly Uint8Array[],
): Es256Key[] {
  const keys = new Map<string, Es256Key>();
  const opened = statements.flatMap((cose) => attempt(() => openStatement(cose, find)) ?? []);
  for (const { receipt, body } of opened.sort((a, b) => a.receipt.payload.seq - b.receipt.payload.seq)) {
    const { key: jwk, replaces, ends } = body;
    if (keys.has(jwk.kid)) continue;
    const before = replaces === null ? undefined : keys.get(replaces);
    if (before && ends !== null) keys.set(before.key.kid, endingAt(before, Date.parse(ends) / 1000));
    const key = Es256VerifyingKey.fromJwk(jwk.x, jwk.y);
    keys.set(jwk.kid, { key, jwk, receipt, term: { from: jwk.nbf, until: Infinity } });
  }
  return [...keys.values()];
}

/** @throws Error saying what is wrong */
function openStatement(
  cose: Uint8Array,
  find: (kid: string) => Pick<ChainedKey, 'key' | 'terms'> | undefined,
): { receipt: SignedReceipt; body: Body } {
  const receipt = openReceipt(cose);
  const { tenant_id, stream, kind, subject, body, occurred_at } = receipt.payload;
  if (tenant_id !== SERVER_TENANT || stream !== KEY_STREAM || kind !== ES256_KIND)
    throw new CborError('it is no statement about a key on P-256');
  checkShape(body, BODY, 'body');
  const { key: jwk } = body as unknown as Body;
  if (Es256VerifyingKey.fromJwk(jwk.x, jwk.y).kid !== jwk.kid || jwk.kid !== subject)
    throw new CborError('it is not about its subject');
  const signer = find(receipt.kid);
  if (!signer || !isWithin(signer.terms.get('receipts'), Date.parse(occurred_at) / 1000))
    throw new Error('no chain leads to its signer');
  if (!verifyCose(parseCose(cose), signer.key)) throw new Error('the signature does not hold');
  return { receipt, body: body as unknown as Body };
}

function endingAt(one: Es256Key, seconds: number): Es256Key {
  const until = Math.min(one.term.until, seconds);
  return { ...one, term: { ...one.term, until }, jwk: { ...one.jwk, exp: Math.ceil(until) } };
}

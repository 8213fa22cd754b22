import { isRecord } from './canonical-json.js';
import { checkShape, KEY_X } from './shape.js';
import type { TrustedKey } from './file-keys.js';
import { Es256VerifyingKey } from './forms/signature-keys.js';
import { type Purpose, PURPOSES } from './purposes.js';
import { parseNoteVerifierKey } from './signed-note.js';
import { VerifyingKey, verifyingKeyFromPem } from './signing-key.js';

/** A trusted key on P-256: COSE receipts alone are signed by such. */
interface TrustedEs256Key extends Pick<TrustedKey, 'nbf' | 'exp' | 'purposes'> {
  readonly key: Es256VerifyingKey;
}
export type AnyTrustedKey = TrustedKey | TrustedEs256Key;

/** Those that sign what stands in packs and exports. */
export const chainKeysOf = (keys: readonly AnyTrustedKey[]): TrustedKey[] =>
  keys.filter((one): one is TrustedKey => one.key.algorithm === 'EdDSA');

/**
 * Reads the keys to trust from a file in any of the usual forms: PEM, a JSON Web Key Set as `/.well-known/jwks.json`
 * serves it, one JWK, or C2SP note verifier keys, one a line. Keys of other kinds in a set are passed over. A key with
 * `svc_purposes` is trusted for those alone.
 * @throws when no key on Ed25519 or P-256 is found.
 */
export function parseTrustedKeys(text: string): AnyTrustedKey[] {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----BEGIN')) return [{ key: verifyingKeyFromPem(trimmed) }];
  if (trimmed.startsWith('{')) return fromJson(trimmed);
  const lines = trimmed.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0) throw new Error('the key file is empty');
  return lines.map(parseNoteVerifierKey);
}

function fromJson(text: string): AnyTrustedKey[] {
  const value: unknown = JSON.parse(text);
  const keys: unknown[] = isRecord(value) && Array.isArray(value.keys) ? value.keys : [value];
  const trusted = keys.flatMap((jwk) => fromJwk(jwk));
  if (trusted.length === 0) throw new Error('the key file holds no key on Ed25519 or P-256');
  return trusted;
}

function fromJwk(jwk: unknown): AnyTrustedKey[] {
  if (!isRecord(jwk)) return [];
  const key = keyIn(jwk);
  if (!key) return [];
  if (jwk.kid !== undefined && jwk.kid !== key.kid) throw new Error('a kid in the key file does not fit its key');
  const about = {
    ...(typeof jwk.nbf === 'number' ? { nbf: jwk.nbf } : {}),
    ...(typeof jwk.exp === 'number' ? { exp: jwk.exp } : {}),
    ...(jwk.svc_purposes === undefined ? {} : { purposes: purposesIn(jwk.svc_purposes) }),
  };
  return [key instanceof VerifyingKey ? { key, ...about } : { key, ...about }];
}

function keyIn({ kty, crv, x, y }: Record<string, unknown>): VerifyingKey | Es256VerifyingKey | undefined {
  if (kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string') {
    checkShape(x, KEY_X, 'x of a key');
    return new VerifyingKey(Buffer.from(x, 'base64url'));
  }
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined;
  checkShape(x, KEY_X, 'x of a key');
  checkShape(y, KEY_X, 'y of a key');
  return Es256VerifyingKey.fromJwk(x, y);
}

/** A purpose that is not known is none that anything here is signed for. */
function purposesIn(value: unknown): Purpose[] {
  if (!Array.isArray(value)) throw new Error('svc_purposes of a key must be a list');
  return PURPOSES.filter((purpose) => value.includes(purpose));
}

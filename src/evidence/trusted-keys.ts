import { isRecord } from './canonical-json.js';
import { parseNoteVerifierKey } from './signed-note.js';
import { thumbprint, VerifyingKey, verifyingKeyFromPem } from './signing-key.js';
import type { TrustedKey } from './verify-pack.js';

/**
 * Reads the keys to trust from a file in any of the usual forms: PEM, a JSON Web Key Set as `/.well-known/jwks.json`
 * serves it, one JWK, or C2SP note verifier keys, one a line. Keys of other kinds in a set are passed over.
 * @throws when no Ed25519 key is found.
 */
export function parseTrustedKeys(text: string): TrustedKey[] {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----BEGIN')) return [{ key: verifyingKeyFromPem(trimmed) }];
  if (trimmed.startsWith('{')) return fromJson(trimmed);
  const lines = trimmed.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0) throw new Error('the key file is empty');
  return lines.map((line) => ({ key: parseNoteVerifierKey(line).key }));
}

function fromJson(text: string): TrustedKey[] {
  const value: unknown = JSON.parse(text);
  const keys: unknown[] = isRecord(value) && Array.isArray(value.keys) ? value.keys : [value];
  const trusted = keys.flatMap((jwk) => fromJwk(jwk));
  if (trusted.length === 0) throw new Error('the key file holds no Ed25519 key');
  return trusted;
}

function fromJwk(jwk: unknown): TrustedKey[] {
  if (!isRecord(jwk) || jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') return [];
  const key = new VerifyingKey(Buffer.from(jwk.x, 'base64url'));
  if (jwk.kid !== undefined && jwk.kid !== thumbprint(jwk.x))
    throw new Error('a kid in the key file does not fit its key');
  return [
    {
      key,
      ...(typeof jwk.nbf === 'number' ? { nbf: jwk.nbf } : {}),
      ...(typeof jwk.exp === 'number' ? { exp: jwk.exp } : {}),
    },
  ];
}

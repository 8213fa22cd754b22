import { isRecord } from '../../../evidence/canonical-json.js';
import { thumbprint, VerifyingKey } from '../../../evidence/signing-key.js';

/** A key whose signatures on envelopes are trusted. */
export interface PlatformKey {
  readonly key: VerifyingKey;
  /** Seconds since 1970: not before, and not at or after. */
  readonly nbf: number | undefined;
  readonly exp: number | undefined;
}

/**
 * Reads a JWK Set (RFC 7517) with Ed25519 keys (RFC 8037), by their `kid`, or their RFC 7638 thumbprint where they have
 * none. Other kinds of keys in it are passed over.
 * @throws Error saying what is wrong
 */
export function parsePlatformKeys(text: string): Map<string, PlatformKey> {
  const set = parse(text);
  if (!isRecord(set) || !Array.isArray(set.keys)) throw new Error('it is not a JWK Set: {"keys": [...]}');
  const keys = new Map<string, PlatformKey>();
  for (const [index, jwk] of (set.keys as unknown[]).entries()) {
    if (!isRecord(jwk)) throw new Error(`keys[${index}] is not an object`);
    if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519') continue;
    const [kid, key] = readKey(jwk, `keys[${index}]`);
    if (keys.has(kid)) throw new Error(`keys[${index}] has the kid of another key`);
    keys.set(kid, key);
  }
  if (keys.size === 0) throw new Error('it holds no Ed25519 key (kty OKP, crv Ed25519)');
  return keys;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('it is not JSON');
  }
}

function readKey({ x, d, kid, nbf, exp }: Record<string, unknown>, path: string): [string, PlatformKey] {
  if (d !== undefined) throw new Error(`${path} holds a private key (d); register its public half alone`);
  if (typeof x !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(x))
    throw new Error(`${path}.x is not 32 bytes in base64url`);
  if (kid !== undefined && (typeof kid !== 'string' || !/^.{1,512}$/s.test(kid)))
    throw new Error(`${path}.kid is not text of 1 to 512 characters`);
  return [
    kid ?? thumbprint(x),
    {
      key: new VerifyingKey(Buffer.from(x, 'base64url')),
      nbf: seconds(nbf, `${path}.nbf`),
      exp: seconds(exp, `${path}.exp`),
    },
  ];
}

function seconds(value: unknown, path: string): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  throw new Error(`${path} is not a number of seconds`);
}

export const isValidAt = ({ nbf = -Infinity, exp = Infinity }: PlatformKey, now: Date): boolean =>
  nbf <= now.getTime() / 1000 && now.getTime() / 1000 < exp;

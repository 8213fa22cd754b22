import { createHash, randomBytes } from 'node:crypto';

/** An API key as it is shown once, and what is stored of it (D7). */
export interface NewApiKey {
  /** `svc_key_<prefix>_<secret>`, 256 bits of randomness in the secret. */
  apiKey: string;
  prefix: string;
  hash: Buffer;
}

export function mintApiKey(): NewApiKey {
  const prefix = randomBytes(6).toString('hex');
  return keep(`svc_key_${prefix}_${randomBytes(32).toString('base64url')}`);
}

/** What is stored of a key that somebody else chose. */
export const keep = (apiKey: string): NewApiKey => ({ apiKey, prefix: prefixOf(apiKey), hash: hashOf(apiKey) });

/** The part of a key by which it is found; not secret. A key that was not minted here is found by its digest. */
export function prefixOf(apiKey: string): string {
  return /^svc_key_([0-9a-f]{12})_/.exec(apiKey)?.[1] ?? `own${hashOf(apiKey).toString('hex').slice(0, 12)}`;
}

/** SHA-256: a minted key has 256 random bits, so a slow hash would add nothing but time. */
export const hashOf = (apiKey: string): Buffer => createHash('sha256').update(apiKey, 'utf8').digest();

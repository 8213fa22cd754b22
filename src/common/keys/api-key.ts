import { randomBytes } from 'node:crypto';
import type { PresentedKey } from '../throttle/failed-credentials.js';
import { sha256 } from '../../evidence/sha256.js';

/** An API key as it is shown once, and what is stored of it (D7). */
export interface NewApiKey {
  /** `svc_key_<prefix>_<secret>`, 256 bits of randomness in the secret. */
  apiKey: string;
  prefix: string;
  hash: Buffer;
}

/** A new key of 256 random bits. */
export function mintApiKey(): NewApiKey {
  const prefix = randomPrefix();
  return keep(`svc_key_${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`);
}

/** What is stored of a key that somebody else chose. Its prefix is only a name to show: it says nothing of the key. */
export const keep = (apiKey: string): NewApiKey => ({
  apiKey,
  prefix: mintedPrefixOf(apiKey) ?? `own${randomPrefix()}`,
  hash: hashOf(apiKey),
});

/** The prefix of a key as it is minted here. @returns undefined for one that somebody else chose */
const mintedPrefixOf = (apiKey: string): string | undefined => /^svc_key_([0-9a-f]{12})_[\w-]{43}$/.exec(apiKey)?.[1];

/** What a failure of a key is counted by: a minted one cannot be guessed, a chosen one may. */
export function presentedKey(apiKey: string): PresentedKey {
  const prefix = mintedPrefixOf(apiKey);
  return prefix === undefined ? { prefix: 'own', chosen: hashOf(apiKey).toString('base64') } : { prefix };
}

/** SHA-256: a minted key has 256 random bits, so a slow hash would add nothing but time. */
export const hashOf = (apiKey: string): Buffer => sha256(apiKey);

const SECRET_BYTES = 32;
const randomPrefix = (): string => randomBytes(6).toString('hex');

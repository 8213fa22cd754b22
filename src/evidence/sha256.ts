import { createHash } from 'node:crypto';

/** SHA-256 (FIPS 180-4), 32 bytes, over the concatenation of the parts. Text is hashed as UTF-8. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

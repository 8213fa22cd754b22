import { createHash } from 'node:crypto';
import { createBLAKE3 } from 'hash-wasm';

/** A digest that travels with its algorithm's name: `blake3:` or `sha256:` and 64 lower-case hexadecimal digits. */
export type Digest = `blake3:${string}` | `sha256:${string}`;
export type DigestAlgorithm = 'blake3' | 'sha256';

/** One WebAssembly instance, made once; every use is init, update, digest without a pause, so it may be shared. */
const hasher = await createBLAKE3();

/** BLAKE3 with 256 bits of output, 32 bytes. Text is hashed as UTF-8. */
export function blake3(data: Uint8Array | string): Uint8Array {
  hasher.init();
  hasher.update(data);
  return hasher.digest('binary');
}

/** SHA-256 (FIPS 180-4), 32 bytes, over the concatenation of the parts. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function namedDigest(algorithm: DigestAlgorithm, bytes: Uint8Array): Digest {
  return `${algorithm}:${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** `blake3:<hex>` of the data. */
export function blake3Digest(data: Uint8Array | string): Digest {
  return namedDigest('blake3', blake3(data));
}

/** The 32 bytes of a named digest. Throws on any other algorithm or form, upper-case hexadecimal included. */
export function digestBytes(algorithm: DigestAlgorithm, digest: string): Uint8Array {
  const match = /^([a-z0-9]+):([0-9a-f]{64})$/.exec(digest);
  if (match?.[1] !== algorithm || match[2] === undefined) {
    throw new Error(
      `expected ${algorithm}:<64 lower-case hexadecimal digits>, got ${JSON.stringify(digest.slice(0, 80))}`,
    );
  }
  return Buffer.from(match[2], 'hex');
}

import { createBLAKE3 } from 'hash-wasm';
import { sha256 } from './sha256.js';

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

/** The keyed mode of BLAKE3: 32 bytes of each datum under one key of 32 bytes. Text is hashed as UTF-8. */
export async function keyedBlake3(key: Uint8Array): Promise<(data: Uint8Array | string) => Uint8Array> {
  const keyed = await createBLAKE3(256, key);
  return (data) => {
    keyed.init();
    keyed.update(data);
    return keyed.digest('binary');
  };
}

/** The digest of 32 bytes that are one already: nothing is hashed. */
export function namedDigest(algorithm: DigestAlgorithm, bytes: Uint8Array): Digest {
  return `${algorithm}:${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** `blake3:<hex>` of the data. */
export function blake3Digest(data: Uint8Array | string): Digest {
  return namedDigest('blake3', blake3(data));
}

/** `sha256:<hex>` of the data. */
export const sha256Digest = (data: Uint8Array | string): Digest => namedDigest('sha256', sha256(data));

/** The 32 bytes of a named digest. @throws Error on any other algorithm or form, upper-case hexadecimal included */
export function digestBytes(algorithm: DigestAlgorithm, digest: string): Buffer {
  const match = /^([a-z0-9]+):([0-9a-f]{64})$/.exec(digest);
  if (match?.[1] !== algorithm || match[2] === undefined) {
    throw new Error(
      `expected ${algorithm}:<64 lower-case hexadecimal digits>, got ${JSON.stringify(digest.slice(0, 80))}`,
    );
  }
  return Buffer.from(match[2], 'hex');
}

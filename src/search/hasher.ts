import { createBLAKE3 } from 'hash-wasm';

/** One hasher for the whole module: hashing is synchronous, so it is never in use twice at once. */
const hasher = await createBLAKE3();

/** BLAKE3-256 of the parts laid end to end: 32 bytes. */
export function blake3(...parts: (string | Uint8Array)[]): Uint8Array {
  hasher.init();
  for (const part of parts) hasher.update(part);
  return hasher.digest('binary');
}

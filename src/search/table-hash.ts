import { randomInt } from 'node:crypto';

/** Whoever writes texts must not be able to choose words that meet in one slot of a table. */
const SEED = randomInt(2 ** 32);

/** FNV-1a with a seed, of `text.slice(start, end)` by its code units: 32 bits. */
export function hashOfUnits(text: string, start: number, end: number): number {
  let hash = SEED;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** The same of `bytes.subarray(start, end)`. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}

import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;
/** Random bytes are fetched for many ids at once: to fetch them for one takes five times as long as the rest. */
const POOL = new Uint8Array(256 * BYTES);
let at = POOL.length;
let msecs = 0;
/** Counts the ids of a millisecond, from a random number of 31 bits on. */
let seq = 0;

/** A UUID of version 7 (RFC 9562, section 5.7), later than those that this process made before. */
export function uuid(): string {
  const random = nextRandom();
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = ((random[0]! & 0x7f) << 24) | (random[1]! << 16) | (random[2]! << 8) | random[3]!;
  } else seq++;
  return v7({ random, msecs, seq });
}

function nextRandom(): Uint8Array {
  if (at === POOL.length) {
    randomFillSync(POOL);
    at = 0;
  }
  return POOL.subarray(at, (at += BYTES));
}

import { createHmac, timingSafeEqual } from 'node:crypto';

/** memory-daemon.md 8. */
export const TTL_SECONDS = 120;
/** From the time of a nonce on, as the slowest clock of the processes of one database sees it. */
export const REMEMBERED_SECONDS = 3 * TTL_SECONDS;

const TIME_BYTES = 4;
export const RANDOM_BYTES = 12;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;
const NONCE = /^[A-Za-z0-9_-]{43}$/;

/** When it was given, random bytes, and a MAC over both: whoever has the key knows it again without having kept it. */
export function makeNonce(key: Buffer, nowSeconds: number, random: Buffer): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(Math.floor(nowSeconds));
  random.copy(head, TIME_BYTES);
  return Buffer.concat([head, macOf(key, head)]).toString('base64url');
}

/** @returns its bytes; `unknown` where it was not made with this key, or is of a time to come */
export function readNonce(key: Buffer, nonce: string, nowSeconds: number): Buffer | 'expired' | 'unknown' {
  if (!NONCE.test(nonce)) return 'unknown';
  const bytes = Buffer.from(nonce, 'base64url');
  const head = bytes.subarray(0, HEAD_BYTES);
  if (!timingSafeEqual(bytes.subarray(HEAD_BYTES), macOf(key, head))) return 'unknown';
  const age = nowSeconds - head.readUInt32BE();
  if (age < -TTL_SECONDS) return 'unknown';
  return age < TTL_SECONDS ? bytes : 'expired';
}

const macOf = (key: Buffer, head: Buffer): Buffer =>
  createHmac('sha256', key)
    .update(head)
    .digest()
    .subarray(0, 32 - HEAD_BYTES);

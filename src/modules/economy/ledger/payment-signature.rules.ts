import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a delivery's time may be from ours, either way. */
const SIGNATURE_TOLERANCE_SECONDS = 300;
/** More signatures than a rotation of secrets needs are not looked at. */
const MAX_SIGNATURES = 8;

/** What `x-payment-signature: t=<unix s>,v1=<hex>[,v1=<hex>...]` says. */
interface SignatureHeader {
  time: number;
  signatures: Buffer[];
}

/**
 * Whether one of the signatures is the HMAC-SHA256 of `<t>.<body>` under the secret, made within the tolerance of now.
 * @param now Unix seconds
 */
export function isSignedBy(secret: string, header: string | undefined, body: Buffer, now: number): boolean {
  const said = readHeader(header);
  if (!said) return false;
  const expected = createHmac('sha256', secret).update(`${said.time}.`).update(body).digest();
  // Each is compared in full and in constant time, whichever of them fits.
  const matches = said.signatures.map((signature) => timingSafeEqual(signature, expected));
  return matches.includes(true) && Math.abs(now - said.time) <= SIGNATURE_TOLERANCE_SECONDS;
}

export const signatureOf = (secret: string, time: number, body: string): string =>
  `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;

function readHeader(header: string | undefined): SignatureHeader | undefined {
  const parts = (header ?? '').split(',').map((part) => part.trim());
  const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const hashes = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3));
  const [time] = times;
  if (time === undefined || times.length !== 1 || !/^(0|[1-9]\d{0,11})$/.test(time)) return undefined;
  if (hashes.length === 0 || hashes.length > MAX_SIGNATURES) return undefined;
  if (!hashes.every((hash) => /^[0-9a-f]{64}$/i.test(hash))) return undefined;
  return { time: Number(time), signatures: hashes.map((hash) => Buffer.from(hash, 'hex')) };
}

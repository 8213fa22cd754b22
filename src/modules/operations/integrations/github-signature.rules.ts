import { createHmac, timingSafeEqual } from 'node:crypto';

const FORM = /^sha256=([0-9a-f]{64})$/;

/** Whether a header is of that form at all: what is not was signed by nobody. */
export const isSignature = (header: string | undefined): boolean => FORM.test(header ?? '');

/**
 * Whether `X-Hub-Signature-256: sha256=<hex>` is the HMAC-SHA256 of the bytes of the body under the secret. The digests
 * are compared in constant time.
 */
export function isSignedByGithub(secret: string, header: string | undefined, body: Uint8Array): boolean {
  const [, hex] = FORM.exec(header ?? '') ?? [];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', secret).update(body).digest());
}

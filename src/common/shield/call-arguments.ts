import { createHash } from 'node:crypto';
import { canonicalJson } from '../evidence/canonical-json.js';

export const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
export const named = (digest: Buffer): string => `sha256:${digest.toString('hex')}`;
/** Of `sha256:<hex>`. */
export const bytesOf = (digest: string): Buffer => Buffer.from(digest.slice('sha256:'.length), 'hex');

/** What an approval is bound to: SHA-256 of the arguments in canonical form (RFC 8785). */
export const argumentsDigest = (args: unknown): string => named(sha256(canonicalJson(args)));

/** The arguments of a route's call; the key of the effect is not one of them. */
export function argumentsOf(path: unknown, query: unknown, body: unknown): object {
  const { idempotencyKey: _, ...members } = (body ?? {}) as Record<string, unknown>;
  return { path: path ?? {}, query: query ?? {}, body: members };
}

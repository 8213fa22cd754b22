import { canonicalJson } from '../../evidence/canonical-json.js';
import { sha256Digest } from '../../evidence/digest.js';

/** What an approval is bound to: SHA-256 of the arguments in canonical form (RFC 8785). */
export const argumentsDigest = (args: unknown): string => sha256Digest(canonicalJson(args));

/** The arguments of a route's call; the key of the effect is not one of them. */
export function argumentsOf(path: unknown, query: unknown, body: unknown): object {
  const call = { path: path ?? {}, query: query ?? {} };
  // A text or a list has a member for each of its parts.
  if (typeof (body ?? {}) !== 'object' || Array.isArray(body)) return { ...call, body };
  const { idempotencyKey: _, ...members } = (body ?? {}) as Record<string, unknown>;
  return { ...call, body: members };
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Dictionary, parseDictionary } from 'structured-headers';
import { sha256 } from '../../evidence/sha256.js';

/** The algorithms of RFC 9530, 7.2, that resist collisions, with their length in bytes. */
const ALGORITHMS = { 'sha-256': 32, 'sha-512': 64 } as const;
type Algorithm = keyof typeof ALGORITHMS;

/** What a content-digest says of a body. */
export type ContentDigest = ReadonlyMap<Algorithm, Uint8Array>;

/** The field content-digest of a body, of an empty one too (RFC 9530). */
export const contentDigestOf = (body: Uint8Array): string => `sha-256=:${sha256(body).toString('base64')}:`;

/**
 * Reads the field. Algorithms that are not known say nothing.
 * @throws Error that says what is wrong with it
 */
export function parseContentDigest(field: string): ContentDigest {
  const found = new Map<Algorithm, Uint8Array>();
  for (const [name, bytes] of Object.entries(ALGORITHMS) as [Algorithm, number][]) {
    const [value] = dictionaryOf(field).get(name) ?? [];
    if (value === undefined) continue;
    if (!(value instanceof ArrayBuffer) || value.byteLength !== bytes)
      throw new Error(`${name} of content-digest is not ${bytes} bytes between colons`);
    found.set(name, new Uint8Array(value));
  }
  if (found.size === 0) throw new Error('content-digest has neither sha-256 nor sha-512 (RFC 9530)');
  return found;
}

function dictionaryOf(field: string): Dictionary {
  try {
    return parseDictionary(field);
  } catch {
    throw new Error('content-digest is no dictionary of RFC 9530');
  }
}

/** Whether everything that it says holds for the body. */
export const digestHolds = (digest: ContentDigest, body: Uint8Array): boolean =>
  [...digest].every(([name, expected]) =>
    timingSafeEqual(
      createHash(name === 'sha-256' ? 'sha256' : 'sha512')
        .update(body)
        .digest(),
      expected,
    ),
  );

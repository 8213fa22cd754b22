import canonicalize from 'canonicalize';

/** JSON Canonicalization Scheme (RFC 8785) as UTF-8 bytes. @throws Error for what has no JSON form, as undefined */
export function canonicalJson(value: unknown): Uint8Array {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('the value has no JSON form');
  return Buffer.from(text, 'utf8');
}

/** The same as text, to be compared or digested; empty for what has no JSON form. */
export const canonicalText = (value: unknown): string => canonicalize(value) ?? '';

/** Whether a value of JSON is an object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

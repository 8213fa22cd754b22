/** RFC 4648, 4, with its padding. */
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/**
 * The bytes of a text that is written in the one way there is (RFC 4648, 3.5), so that one text stands for one sequence
 * of bytes: without line breaks, `base64` with its padding and `base64url` without, and no bit set that decoders pass
 * over.
 *
 * @param length how many bytes there have to be
 * @returns undefined for any other text, and for what is no text
 */
export function decodeExactly(
  text: unknown,
  encoding: 'base64' | 'base64url',
  length?: number,
): Buffer<ArrayBuffer> | undefined {
  if (typeof text !== 'string') return undefined;
  // No text of so many characters has so few bytes: a long one is not decoded to be found out.
  if (length !== undefined && text.length > 2 * length + 2) return undefined;
  const bytes = Buffer.from(text, encoding);
  return (length === undefined || bytes.length === length) && bytes.toString(encoding) === text ? bytes : undefined;
}

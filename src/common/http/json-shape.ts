/** How deep a JSON text is nested, and at least how many values it holds. */
export interface JsonShape {
  depth: number;
  values: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Looks at the bytes of a JSON text without making anything of it: what JSON.parse would take seconds or gigabytes for is found out in
 * milliseconds. Of a text that is not JSON the figures say nothing.
 */
export function shapeOf(bytes: Uint8Array): JsonShape {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) values += 1;
    else if (isOpening(byte)) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
    } else if (isClosing(byte)) depth -= 1;
  }
  return { depth: deepest, values };
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** `[` is 0x5b and `{` 0x7b, `]` is 0x5d and `}` 0x7d: they differ in one bit. */
const isOpening = (byte: number): boolean => (byte & 0xdf) === 0x5b;
const isClosing = (byte: number): boolean => (byte & 0xdf) === 0x5d;

/** What V8 takes for them on 64 bits, rounded up. */
const OBJECT_BYTES = 32;
const STRING_BYTES = 24;
const ARRAY_BYTES = 230;
const SLOT_BYTES = 8;
const NUMBER_BYTES = 16;
/** V8 keeps a string in one byte a character, or in two once a character is beyond Latin-1. */
const WIDE = /[^\u0000-\u00ff]/;

/**
 * An estimate of the memory that plain data takes, in bytes: objects, arrays, strings, numbers, dates, typed arrays. A
 * part that occurs twice counts twice.
 */
export function plainSize(value: unknown): number {
  if (typeof value === 'string') return STRING_BYTES + value.length * (WIDE.test(value) ? 2 : 1);
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return ARRAY_BYTES + value.byteLength;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + SLOT_BYTES + plainSize(part), OBJECT_BYTES);
}

/** Major types of RFC 8949 section 3.1, in their place. */
const UINT = 0x00;
const NEGINT = 0x20;
const BYTES = 0x40;
const TEXT = 0x60;
const ARRAY = 0x80;
const MAP = 0xa0;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const HALF = 0xf9;
const SINGLE = 0xfa;
const DOUBLE = 0xfb;
/** Of a length or a number, with its type. */
const MAX_HEAD = 9;
/** Up to here a loop is sooner done than the call that encodes UTF-8. */
const SHORT = 80;

/** What is kept between two values, in bytes. */
const KEPT = 16_384;
const KEPT_BUFFER = Buffer.allocUnsafeSlow(KEPT);

/** One for all: a value is encoded without a pause. A large value has one of its own, which goes with it. */
let buffer = KEPT_BUFFER;
let at = 0;

/** To see what a half keeps of a number. */
const half = new DataView(new ArrayBuffer(2));

/**
 * Deterministic CBOR (RFC 8949 section 4.2.1) of JSON types, byte strings and maps with integer keys. Nearly all of
 * evidence is short text under short names, which this writes in a fraction of the time that cborg takes; and cborg
 * makes singles of most halves below 2^-14, which are not the shortest form.
 * @returns undefined for a value that evidence may not hold
 */
export function writeCbor(value: unknown): Uint8Array | undefined {
  at = 0;
  buffer = KEPT_BUFFER;
  try {
    return write(value) ? new Uint8Array(buffer.subarray(0, at)) : undefined;
  } finally {
    buffer = KEPT_BUFFER;
  }
}

function write(value: unknown): boolean {
  if (typeof value === 'string') return writeText(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? writeInteger(value) : writeFloat(value);
  if (value === null) return writeHead(NULL, 0);
  if (typeof value === 'boolean') return writeHead(value ? TRUE : FALSE, 0);
  if (typeof value !== 'object') return false;
  if (value instanceof Uint8Array) return writeBytes(value, BYTES);
  if (Array.isArray(value)) return writeArray(value);
  if (value instanceof Map) return writeIntegerMap(value);
  return isObject(value) && writeMap(value);
}

function writeArray(items: readonly unknown[]): boolean {
  writeHead(ARRAY, items.length);
  for (const item of items) if (!write(item)) return false;
  return true;
}

function writeMap(map: Record<string, unknown>): boolean {
  const names = Object.keys(map);
  names.sort(names.every((name) => ASCII.test(name)) ? byLength : byEncoding);
  writeHead(MAP, names.length);
  for (const name of names) if (!writeText(name) || !write(map[name])) return false;
  return true;
}

function writeIntegerMap(map: ReadonlyMap<unknown, unknown>): boolean {
  const keys = [...map.keys()];
  if (!keys.every((key): key is number => Number.isSafeInteger(key))) return false;
  keys.sort(byEncodingOfIntegers);
  writeHead(MAP, keys.length);
  for (const key of keys) if (!writeInteger(key) || !write(map.get(key))) return false;
  return true;
}

function writeInteger(value: number): boolean {
  return value < 0 ? writeHead(NEGINT, -1 - value) : writeHead(UINT, value);
}

/** In the shortest form that keeps the number. */
function writeFloat(value: number): boolean {
  if (!Number.isFinite(value)) return false;
  makeSpace(MAX_HEAD);
  half.setFloat16(0, value);
  if (half.getFloat16(0) === value) at = buffer.writeUInt16BE(half.getUint16(0), buffer.writeUInt8(HALF, at));
  else if (Math.fround(value) === value) at = buffer.writeFloatBE(value, buffer.writeUInt8(SINGLE, at));
  else at = buffer.writeDoubleBE(value, buffer.writeUInt8(DOUBLE, at));
  return true;
}

function writeText(text: string): boolean {
  if (text.length <= SHORT && writeAscii(text)) return true;
  return text.isWellFormed() && writeBytes(Buffer.from(text), TEXT);
}

/** @returns false for other text, of which nothing is written */
function writeAscii(text: string): boolean {
  const start = at;
  writeHead(TEXT, text.length);
  makeSpace(text.length);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) {
      at = start;
      return false;
    }
    buffer[at++] = unit;
  }
  return true;
}

function writeBytes(bytes: Uint8Array, major: number): boolean {
  writeHead(major, bytes.length);
  return append(bytes);
}

function append(bytes: Uint8Array): boolean {
  makeSpace(bytes.length);
  buffer.set(bytes, at);
  at += bytes.length;
  return true;
}

/** The shortest form of a number with its major type. */
function writeHead(major: number, value: number): boolean {
  makeSpace(MAX_HEAD);
  if (value < 24) buffer[at++] = major + value;
  else if (value < 0x100) at = buffer.writeUInt8(value, buffer.writeUInt8(major + 24, at));
  else if (value < 0x10000) at = buffer.writeUInt16BE(value, buffer.writeUInt8(major + 25, at));
  else if (value < 0x100000000) at = buffer.writeUInt32BE(value, buffer.writeUInt8(major + 26, at));
  else at = buffer.writeBigUInt64BE(BigInt(value), buffer.writeUInt8(major + 27, at));
  return true;
}

function makeSpace(bytes: number): void {
  if (at + bytes <= buffer.length) return;
  const grown = Buffer.allocUnsafe(2 * (at + bytes));
  buffer.copy(grown, 0, 0, at);
  buffer = grown;
}

const ASCII = /^[\0-\x7f]*$/;

/** Bytewise order of the encodings: the shorter name first, since the length stands before it. */
function byEncoding(left: string, right: string): number {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length - b.length || Buffer.compare(a, b);
}

/** The same of names in ASCII. */
function byLength(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : 1);
}

/** What is not negative comes first, as its major type does. */
function byEncodingOfIntegers(left: number, right: number): number {
  return left >= 0 && right >= 0 ? left - right : right - left;
}

/** Of any class of the application, unlike a Date or a Set. */
function isObject(value: object): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

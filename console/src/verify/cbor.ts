import { decode, Tokenizer, Type } from 'cborg';
import { areEqual, concat, hexOf, utf8 } from './bytes.ts';

export type CborMap = ReadonlyMap<string | number, unknown>;

const STRICT = {
  strict: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowInfinity: false,
  allowNaN: false,
  allowBigInt: false,
  rejectDuplicateMapKeys: true,
  useMaps: true,
};

/** Major types of RFC 8949 section 3.1. */
const [UINT, NEGINT, BYTES, TEXT, ARRAY, MAP] = [0, 1, 2, 3, 4, 5];
const SIMPLE = new Map<unknown, number>([
  [false, 0xf4],
  [true, 0xf5],
  [null, 0xf6],
]);

/**
 * Core deterministic encoding (docs/formats/canonical-cbor.md) of what {@link decodeCanonical} reads. cborg would make
 * singles of most numbers below 2^-14 that a half keeps.
 * @throws Error for another value
 */
export function encodeCanonical(value: unknown): Uint8Array<ArrayBuffer> {
  const simple = SIMPLE.get(value);
  if (simple !== undefined) return Uint8Array.of(simple);
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'string') return encodeBytes(TEXT, utf8(value));
  if (value instanceof Uint8Array) return encodeBytes(BYTES, value);
  if (Array.isArray(value)) return concat(head(ARRAY, value.length), ...value.map(encodeCanonical));
  if (!(value instanceof Map)) throw new Error(`canonical CBOR has no ${typeof value}`);
  const keys = [...value.keys()];
  if (!keys.every((key) => typeof key === 'string') && !keys.every(Number.isSafeInteger))
    throw new Error('map keys are all text or all integers');
  const members = [...value].map(([key, member]) => [encodeCanonical(key), encodeCanonical(member)] as const);
  members.sort(([left], [right]) => (hexOf(left) < hexOf(right) ? -1 : 1));
  return concat(head(MAP, members.length), ...members.flat());
}

const encodeBytes = (major: number, bytes: Uint8Array) => concat(head(major, bytes.length), bytes);

/** A number with its major type, in the shortest form. */
function head(major: number, value: number): Uint8Array<ArrayBuffer> {
  const first = major * 32;
  if (value < 24) return Uint8Array.of(first + value);
  const width = [1, 2, 4, 8].findIndex((bytes) => value < 256 ** bytes);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return concat(Uint8Array.of(first + 24 + width), new Uint8Array(view.buffer, 8 - 2 ** width));
}

/** The shortest form that keeps the number. */
function encodeNumber(value: number): Uint8Array<ArrayBuffer> {
  if (Number.isSafeInteger(value)) return value < 0 ? head(NEGINT, -1 - value) : head(UINT, value);
  const view = new DataView(new ArrayBuffer(8));
  const encode = (first: number, bytes: number) => concat(Uint8Array.of(first), new Uint8Array(view.buffer, 0, bytes));
  if (Math.fround(value) === value) {
    view.setFloat32(0, value);
    const half = halfOf(view.getUint32(0), value);
    if (half === undefined) return encode(0xfa, 4);
    view.setUint16(0, half);
    return encode(0xf9, 2);
  }
  view.setFloat64(0, value);
  return encode(0xfb, 8);
}

/** The bits of a half that keeps a single: not every browser has setFloat16. */
function halfOf(single: number, value: number): number | undefined {
  const sign = (single >>> 31) << 15;
  const exponent = ((single >>> 23) & 0xff) - 127;
  const mantissa = single & 0x7fffff;
  if (exponent > 15) return undefined;
  if (exponent >= -14) return mantissa % 2 ** 13 === 0 ? sign | ((exponent + 15) << 10) | (mantissa >>> 13) : undefined;
  const steps = Math.abs(value) * 2 ** 24;
  return Number.isInteger(steps) ? sign | steps : undefined;
}

/** As cborg reads, but that a text keeps the byte order mark that it begins with: TextDecoder leaves it out. */
class MarkKeepingTokenizer extends Tokenizer {
  override next() {
    const at = this.pos();
    const token = super.next();
    if (token.type !== Type.string || this.pos() === at + 1) return token;
    const info = this.data[at]! & 31;
    const text = at + (info < 24 ? 1 : 1 + 2 ** (info - 24));
    const [a, b, c] = this.data.subarray(text, this.pos());
    if (a === 0xef && b === 0xbb && c === 0xbf) token.value = `\ufeff${String(token.value)}`;
    return token;
  }
}

/** @throws Error where the bytes are not the one deterministic encoding of their value */
export function decodeCanonical(bytes: Uint8Array, name: string): unknown {
  let value: unknown;
  try {
    value = decode(bytes, { ...STRICT, tokenizer: new MarkKeepingTokenizer(bytes, STRICT) });
  } catch (error) {
    throw new Error(`${name} is not CBOR: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (!areEqual(encodeCanonical(value), bytes)) throw new Error(`${name} is not in canonical CBOR`);
  return value;
}

export function decodeMap(bytes: Uint8Array, name: string): CborMap {
  const value = decodeCanonical(bytes, name);
  if (!(value instanceof Map)) throw new Error(`${name} is not a map`);
  return value as CborMap;
}

/** @throws Error where the map has other members than these */
export function expectMembers(map: CborMap, names: readonly string[], what: string): void {
  const missing = names.find((name) => !map.has(name));
  if (missing) throw new Error(`${what} lacks ${missing}`);
  const extra = [...map.keys()].find((key) => !names.includes(String(key)));
  if (extra !== undefined) throw new Error(`${what} has the unknown member ${String(extra)}`);
}

export function textOf(map: CborMap, name: string): string {
  const value = map.get(name);
  if (typeof value !== 'string') throw new Error(`${name} is not text`);
  return value;
}

/** As JSON would have it, to be shown: bytes become base16. */
export function plainOf(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [String(key), plainOf(member)]));
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Uint8Array) return `h'${Array.from(value, (b) => b.toString(16).padStart(2, '0')).join('')}'`;
  return value;
}

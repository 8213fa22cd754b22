import { decode, decodeFirst, type DecodeOptions, Tokenizer, Type } from 'cborg';
import { writeCbor } from './cbor-writer.js';

/**
 * What evidence is made of: the JSON types plus byte strings. Integers beyond 2^53 - 1 are refused, so no value can
 * lose digits.
 */
export type CborValue =
  null | boolean | number | string | Uint8Array | readonly CborValue[] | CborMap | ReadonlyMap<number, CborValue>;
export interface CborMap {
  readonly [name: string]: CborValue;
}

/** The input is not what a deterministic encoder would have written, or holds a value evidence may not hold. */
export class CborError extends Error {
  override readonly name = 'CborError';
}

/**
 * Core deterministic encoding of RFC 8949 section 4.2.1: shortest integers, shortest floats that keep the value,
 * definite lengths, map keys in bytewise order of their encodings. A number without fraction is always an integer (so
 * 1.0 is 1 and -0 is 0). Refused: NaN, infinities, undefined, lone surrogates.
 */
export function encodeCanonical(value: CborValue): Uint8Array {
  const bytes = writeCbor(value);
  if (bytes) return bytes;
  // Paths are built for the message alone: a safe value needs none.
  refuseUnsafe(value, '');
  throw new CborError('the value holds what evidence cannot hold');
}

/**
 * Decodes one item and refuses every input that {@link encodeCanonical} would not have written byte for byte:
 * indefinite or overlong lengths, unordered or duplicate keys, long floats, tags, undefined, invalid UTF-8, trailing
 * bytes. Maps with text keys become objects; maps with integer keys (COSE headers) stay a Map.
 * @throws CborError
 */
export function decodeCanonical(bytes: Uint8Array): CborValue {
  try {
    const value = fromDecoded(decodeStrictly(bytes));
    const again = encodeCanonical(value);
    if (Buffer.compare(again, bytes) !== 0) throw new CborError('not the deterministic encoding of its value');
    return value;
  } catch (error) {
    // Every level is a call inside a call, until there is no stack left.
    if (error instanceof RangeError) throw new CborError('lists and maps are nested too deep', { cause: error });
    throw error;
  }
}

/** As {@link decodeCanonical}, for an item that must be a map with text keys. @throws CborError */
export function decodeCanonicalMap(bytes: Uint8Array): CborMap {
  const value = decodeCanonical(bytes);
  if (!isCborMap(value)) throw new CborError('not a map with text keys');
  return value;
}

/**
 * The maps of a CBOR sequence (RFC 8742): one after another, each as {@link decodeCanonicalMap} takes it.
 * @throws CborError
 */
export function decodeCanonicalMaps(bytes: Uint8Array): CborMap[] {
  const maps: CborMap[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const from = rest;
    const [, after] = readStrictly(() => decodeFirst(from, strictlyOf(from)) as [unknown, Uint8Array]);
    maps.push(decodeCanonicalMap(from.subarray(0, from.length - after.length)));
    rest = after;
  }
  return maps;
}

/** Whether it is a map with text keys: neither a list, bytes, nor a map with other keys. */
export function isCborMap(value: CborValue | undefined): value is CborMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array) &&
    !(value instanceof Map)
  );
}

/**
 * Turns what application code holds into evidence: members that are undefined are left out, a Date becomes RFC 3339
 * text in UTC with milliseconds. Anything else that is not a {@link CborValue} is refused with the path of the
 * offending value.
 */
export function toCbor(value: unknown, path = 'body'): CborValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') {
    return value;
  }
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item, index) => toCbor(item, `${path}[${String(index)}]`));
  if (typeof value === 'object' && !(value instanceof Map || value instanceof Set)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [name, toCbor(member, `${path}.${name}`)]));
  }
  throw new CborError(`${path} holds a ${typeof value}, which evidence cannot hold`);
}

const STRICT: DecodeOptions = {
  strict: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowInfinity: false,
  allowNaN: false,
  allowBigInt: false,
  rejectDuplicateMapKeys: true,
  useMaps: true,
};

/** As cborg reads, but that a text keeps the byte order mark that it begins with: TextDecoder leaves it out. */
class MarkKeepingTokenizer extends Tokenizer {
  override next() {
    const at = this.pos();
    const token = super.next();
    if (token.type !== Type.string || this.pos() === at + 1) return token;
    const text = at + lengthOfHead(this.data[at]!);
    const [a, b, c] = this.data.subarray(text, this.pos());
    if (a === 0xef && b === 0xbb && c === 0xbf) token.value = `\ufeff${token.value as string}`;
    return token;
  }
}

/** Of an item, by its first byte (RFC 8949 section 3): that byte, and the bytes of its argument. */
function lengthOfHead(first: number): number {
  const info = first & 31;
  return info < 24 ? 1 : 1 + 2 ** (info - 24);
}

/** With byte strings that are copies and no Buffer, as cborg's own tokenizer has them. */
const strictlyOf = ({ buffer, byteOffset, length }: Uint8Array): DecodeOptions => ({
  ...STRICT,
  tokenizer: new MarkKeepingTokenizer(new Uint8Array(buffer, byteOffset, length), STRICT),
});

const decodeStrictly = (bytes: Uint8Array): unknown => readStrictly(() => decode(bytes, strictlyOf(bytes)) as unknown);

function readStrictly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new CborError(error instanceof Error ? error.message : 'not CBOR', { cause: error });
  }
}

/** Object.fromEntries defines own properties, so a key such as `__proto__` stays data. */
function fromDecoded(value: unknown): CborValue {
  if (Array.isArray(value)) return value.map(fromDecoded);
  if (!(value instanceof Map)) return value as CborValue;
  const entries = [...value].map(([key, member]) => [key as unknown, fromDecoded(member)] as const);
  if (entries.every(([key]) => typeof key === 'string')) return Object.fromEntries(entries) as CborMap;
  if (entries.every(([key]) => Number.isSafeInteger(key))) return new Map(entries as [number, CborValue][]);
  throw new CborError('map keys must be all text or all integers');
}

function refuseUnsafe(value: CborValue, path: string): void {
  if (value === undefined) throw new CborError(`${path || 'value'} is undefined`);
  if (typeof value === 'string') refuseMalformed(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new CborError(`${path || 'number'} is not finite`);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  for (const [name, member] of membersOf(value)) {
    refuseMalformed(name, path);
    refuseUnsafe(member, `${path}${name}`);
  }
}

/** Each member with the step of the path that leads to it. */
function membersOf(value: object): (readonly [string, CborValue])[] {
  if (Array.isArray(value)) return value.map((item: CborValue, index) => [`[${String(index)}]`, item]);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return (entries as [string | number, CborValue][]).map(([name, member]) => [`.${String(name)}`, member]);
}

function refuseMalformed(text: string, path: string): void {
  if (!text.isWellFormed()) throw new CborError(`${path || 'text'} holds a lone surrogate`);
}

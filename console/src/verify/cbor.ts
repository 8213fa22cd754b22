import { decode, encode, rfc8949EncodeOptions } from 'cborg';
import { areEqual } from './bytes.ts';

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

/** Core deterministic encoding (docs/formats/canonical-cbor.md). */
export const encodeCanonical = (value: unknown): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(encode(value, rfc8949EncodeOptions));

/** @throws Error where the bytes are not the one deterministic encoding of their value */
export function decodeCanonical(bytes: Uint8Array, name: string): unknown {
  let value: unknown;
  try {
    value = decode(bytes, STRICT);
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

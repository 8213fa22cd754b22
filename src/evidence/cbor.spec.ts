import { rfc8949EncodeOptions, encode } from 'cborg';
import { describe, expect, it } from 'vitest';
import { CborError, type CborValue, decodeCanonical, encodeCanonical, toCbor } from './cbor.js';

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('deterministic CBOR', () => {
  // Values of RFC 8949 appendix A that evidence can hold, and texts with a byte order mark.
  it.each<[CborValue, string]>([
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [100, '1864'],
    [1000, '1903e8'],
    [1000000, '1a000f4240'],
    [1000000000000, '1b000000e8d4a51000'],
    [-1, '20'],
    [-1000, '3903e7'],
    [1.1, 'fb3ff199999999999a'],
    [1.5, 'f93e00'],
    [100000.5, 'fa47c35040'],
    [-4.1, 'fbc010666666666666'],
    [5.960464477539063e-8, 'f90001'],
    [true, 'f5'],
    [null, 'f6'],
    [Uint8Array.of(1, 2, 3, 4), '4401020304'],
    ['IETF', '6449455446'],
    ['\u00fc', '62c3bc'],
    ['\ud800\udd51', '64f0908591'],
    ['\ufeff', '63efbbbf'],
    ['\ufeff\ufeffa', '67efbbbfefbbbf61'],
    [{ a: 1, '\ufeffa': '\ufeff'.repeat(9) }, `a261610164efbbbf61781b${'efbbbf'.repeat(9)}`],
    [[1, [2, 3], [4, 5]], '8301820203820405'],
    [{ a: 1, b: [2, 3] }, 'a26161016162820203'],
  ])('encodes %j as RFC 8949 appendix A does', (value, expected) => {
    expect(toHex(encodeCanonical(value))).toBe(expected);
    expect(decodeCanonical(hex(expected))).toEqual(value);
  });

  it('orders keys by the bytes of their encodings, whatever the order of insertion', () => {
    const sorted = [
      '',
      'a',
      'b',
      'z',
      '\u00fc',
      'aa',
      'ab',
      'b\u0000',
      'zz',
      'x'.repeat(23),
      'x'.repeat(24),
      'a'.repeat(256),
    ];
    const ordered = [...sorted].sort((a, b) => Buffer.compare(encodeCanonical(a), encodeCanonical(b)));
    const bytes = encodeCanonical(Object.fromEntries([...sorted].reverse().map((key) => [key, 0])));
    expect(toHex(bytes)).toBe(`ac${ordered.map((key) => `${toHex(encodeCanonical(key))}00`).join('')}`);
  });

  it('orders integer keys 10, 100, -1, -2, -300 as RFC 8949 section 4.2.1 does', () => {
    const header = new Map([
      [-1, 0],
      [-300, 0],
      [100, 0],
      [-2, 0],
      [10, 0],
    ]);
    expect(toHex(encodeCanonical(header))).toBe('a50a001864002000210039012b00');
  });

  it('writes every number that a half keeps as a half', () => {
    const half = new DataView(new ArrayBuffer(2));
    for (let bits = 0; bits < 2 ** 16; bits++) {
      half.setUint16(0, bits);
      const value = half.getFloat16(0);
      if (!Number.isFinite(value) || Number.isInteger(value)) continue;
      const bytes = Uint8Array.of(0xf9, bits >> 8, bits & 0xff);
      if (toHex(encodeCanonical(value)) !== toHex(bytes))
        expect.fail(`${value} became ${toHex(encodeCanonical(value))}`);
      expect(decodeCanonical(bytes)).toBe(value);
    }
  });

  it.each([
    ['overlong integer', '1817'],
    ['overlong text length', '780161'],
    ['float that fits an integer', 'f93c00'],
    ['float longer than needed', 'fa3fc00000'],
    ['subnormal half written as single', 'fab8480000'],
    ['negative zero', 'f98000'],
    ['not a number', 'f97e00'],
    ['infinity', 'f97c00'],
    ['indefinite array', '9f01ff'],
    ['indefinite text', '7f6161ff'],
    ['unordered keys', 'a2616201616101'],
    ['duplicate keys', 'a2616101616102'],
    ['mixed key types', 'a2010161610 1'],
    ['undefined', 'f7'],
    ['a tag', 'c100'],
    ['an integer beyond 2^53', '1b0020000000000000'],
    ['invalid UTF-8', '61ff'],
    ['an encoded surrogate', '63eda080'],
    ['trailing bytes', '0000'],
    ['a short array', '8201'],
    ['nothing', ''],
  ])('refuses %s', (_what, text) => {
    expect(() => decodeCanonical(hex(text))).toThrow();
  });

  it('says so of what is nested too deep', () => {
    const nested = Buffer.alloc(1_000_000, 0x81);
    nested[nested.length - 1] = 0;
    expect(() => decodeCanonical(nested)).toThrow('nested too deep');
  });

  it('refuses what would not come back', () => {
    expect(() => encodeCanonical('\ud800')).toThrow('lone surrogate');
    expect(() => encodeCanonical({ a: [Number.NaN] })).toThrow('.a[0] is not finite');
    expect(() => encodeCanonical({ '\udc00': 1 })).toThrow('lone surrogate');
    for (const value of [10n, new Date(0), new Set(), new Map([['a', 1]]), () => 1])
      expect(() => encodeCanonical({ a: value as unknown as CborValue })).toThrow(CborError);
  });

  it('keeps a key named __proto__ as data', () => {
    const value = decodeCanonical(hex('a1695f5f70726f746f5f5f01'));
    expect(Object.entries(value as object)).toEqual([['__proto__', 1]]);
  });

  it('agrees with its library and comes back unchanged, for random values', () => {
    const random = seeded(7);
    for (let round = 0; round < 2000; round++) {
      const value = randomValue(random, 4);
      const bytes = encodeCanonical(value);
      expect(toHex(bytes)).toBe(toHex(encode(value, rfc8949EncodeOptions)));
      expect(decodeCanonical(bytes)).toEqual(value);
    }
  });

  it('turns application values into evidence', () => {
    const made = toCbor({ at: new Date('2026-11-20T10:00:00Z'), gone: undefined, list: [1, { x: null }] });
    expect(made).toEqual({ at: '2026-11-20T10:00:00.000Z', list: [1, { x: null }] });
    expect(() => toCbor({ a: { b: [() => 1] } })).toThrow('body.a.b[0] holds a function');
    expect(() => toCbor({ n: 10n })).toThrow('body.n holds a bigint');
    expect(() => toCbor({ m: new Map() })).toThrow('body.m holds a object');
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomValue(random: () => number, depth: number): CborValue {
  const pick = Math.floor(random() * (depth > 0 ? 8 : 6));
  const length = Math.floor(random() * 30);
  if (pick === 0) return random() < 0.5;
  if (pick === 1) return Math.floor(random() * 2 ** Math.floor(random() * 53)) * (random() < 0.5 ? -1 : 1) + 0;
  if (pick === 2) return random() * 1000 + 0.0001;
  if (pick === 3) return Array.from({ length }, () => String.fromCodePoint(32 + Math.floor(random() * 50000))).join('');
  if (pick === 4) return Uint8Array.from({ length }, () => random() * 256);
  if (pick === 5) return null;
  if (pick === 6) return Array.from({ length: length % 5 }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: length % 7 }, () => [
      `k${String(Math.floor(random() * 1e6))}`,
      randomValue(random, depth - 1),
    ]),
  );
}

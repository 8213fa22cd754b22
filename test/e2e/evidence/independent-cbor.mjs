/**
 * Deterministic CBOR written from docs/formats/canonical-cbor.md: a decoder that refuses every other form as it reads, without
 * encoding again. Maps become Map. No package, nothing of the product.
 */
const refuse = (why) => {
  throw new Error(`CBOR: ${why}`);
};

/**
 * @param {Uint8Array} bytes one item, whole
 * @param {Map<string, [number, number]>} [spans] is given where each value of the outermost map lies
 */
export function decodeCbor(bytes, spans) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  const take = (count) => {
    if (at + count > bytes.length) refuse('too short');
    at += count;
    return at - count;
  };

  const argument = (info) => {
    if (info < 24) return info;
    let value;
    if (info === 24) value = view.getUint8(take(1));
    else if (info === 25) value = view.getUint16(take(2));
    else if (info === 26) value = view.getUint32(take(4));
    else if (info === 27) value = Number(view.getBigUint64(take(8)));
    else refuse('indefinite or reserved length');
    const least = { 24: 24, 25: 2 ** 8, 26: 2 ** 16, 27: 2 ** 32 }[info];
    if (value < least) refuse('not the shortest form');
    if (value > Number.MAX_SAFE_INTEGER) refuse('beyond 2^53 - 1');
    return value;
  };

  const text = (length) => {
    const start = take(length);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, start + length));
  };

  const map = (size, outermost) => {
    const entries = new Map();
    let before;
    for (let n = 0; n < size; n++) {
      const keyStart = at;
      const key = item(false);
      const encoded = bytes.subarray(keyStart, at);
      if (typeof key !== 'string' && !Number.isInteger(key)) refuse('key type');
      if (before !== undefined && Buffer.compare(before, encoded) >= 0) refuse('key order');
      if (n > 0 && typeof key !== typeof entries.keys().next().value) refuse('mixed key types');
      before = encoded;
      const start = at;
      entries.set(key, item(false));
      if (outermost) spans?.set(key, [start, at]);
    }
    return entries;
  };

  const item = (outermost) => {
    const initial = view.getUint8(take(1));
    const [major, info] = [initial >> 5, initial & 31];
    if (major === 7) return simple(info);
    const value = argument(info);
    if (major === 0) return value;
    if (major === 1) return value === Number.MAX_SAFE_INTEGER ? refuse('below -(2^53 - 1)') : -1 - value;
    if (major === 2) return bytes.slice(take(value), at);
    if (major === 3) return text(value);
    if (major === 4)
      return Array.from({ length: value > bytes.length ? refuse('too short') : value }, () => item(false));
    return major === 5 ? map(value, outermost) : refuse('tag');
  };

  const simple = (info) => {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    const size = { 25: 2, 26: 4, 27: 8 }[info] ?? refuse('simple value');
    const value = readFloat(view, take(size), size);
    if (!Number.isFinite(value)) refuse('not finite');
    if (Number.isSafeInteger(value)) refuse('an integer written as float');
    if (size > 4 && Math.fround(value) === value) refuse('a longer float than needed');
    if (size > 2 && fitsHalf(value)) refuse('a longer float than needed');
    return value;
  };

  const value = item(true);
  if (at !== bytes.length) refuse('trailing bytes');
  return value;
}

function readFloat(view, at, size) {
  if (size === 8) return view.getFloat64(at);
  if (size === 4) return view.getFloat32(at);
  return halfToNumber(view.getUint16(at));
}

function halfToNumber(bits) {
  const [sign, exponent, mantissa] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25));
}

/** A half has 11 significant bits, down to multiples of 2^-24, and is at most 65504. */
function fitsHalf(value) {
  const size = Math.abs(value);
  if (size > 65504) return false;
  const unit = 2 ** Math.max(-24, Math.floor(Math.log2(size)) - 10);
  return Number.isInteger(size / unit);
}

/** Array of short texts, byte strings and whole numbers: all that a Sig_structure, or the leaf of a passage, is. */
export function encodeCborArray(items) {
  return Buffer.concat([
    head(4, items.length),
    ...items.flatMap((item) => {
      if (typeof item === 'number') return head(0, item);
      const bytes = typeof item === 'string' ? Buffer.from(item, 'utf8') : item;
      return [head(typeof item === 'string' ? 3 : 2, bytes.length), bytes];
    }),
  ]);
}

/** Object of texts and whole numbers, its names in the order of their bytes: what the leaf of a document is. */
export function encodeCborMap(members) {
  const entries = Object.entries(members).map((entry) => entry.map((item) => encodeCborArray([item]).subarray(1)));
  entries.sort(([a], [b]) => Buffer.compare(a, b));
  return Buffer.concat([head(5, entries.length), ...entries.flat()]);
}

function head(major, length) {
  if (length < 24) return Buffer.of((major << 5) | length);
  if (length < 2 ** 8) return Buffer.of((major << 5) | 24, length);
  const bytes = Buffer.alloc(length < 2 ** 16 ? 3 : 5);
  bytes[0] = (major << 5) | (length < 2 ** 16 ? 25 : 26);
  if (bytes.length === 3) bytes.writeUInt16BE(length, 1);
  else bytes.writeUInt32BE(length, 1);
  return bytes;
}

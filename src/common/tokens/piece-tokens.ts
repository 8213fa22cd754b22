import { isUtf8 } from 'node:buffer';
import { readVocabulary } from './vocabulary.js';

/** U+FEFF in UTF-8. */
const BOM = '\xef\xbb\xbf';
/** No pair of bytes is a token. */
const NONE = 0x7fffffff;
/** By the bytes of a token, one code unit (Latin-1) a byte. */
const vocabulary = readVocabulary();
/** The same of pairs of bytes, which every merge begins with: the first byte times 256 and the second. */
const rankOfPair = Int32Array.from({ length: 0x10000 }, (_, pair) => {
  const bytes = String.fromCharCode(pair >> 8, pair & 0xff);
  return vocabulary.find(bytes, 0, 2) ?? NONE;
});

/**
 * The o200k_base tokens of one piece of a text, as the encoding's regular expression divides it. The library's encoder
 * gives the same number; it decodes every candidate of a merge from bytes, which takes several times as long. The time
 * grows with the square of the piece.
 */
export function countPiece(piece: string): number {
  const bytes = bytesOf(piece);
  if (bytes.length < 2) return bytes.length;
  if (vocabulary.find(bytes, 0, bytes.length) !== undefined) return 1;
  return mergedPartsOf(bytes);
}

/** Where the parts of the piece in hand start, and what rank each has with the next one. Used by every call. */
let starts = new Int32Array(128);
let joined = new Int32Array(128);

/** Merges the neighbours of the lowest rank, the first of these, until no two make a token. */
function mergedPartsOf(bytes: string): number {
  if (bytes.length + 1 > starts.length) {
    starts = new Int32Array(2 * bytes.length);
    joined = new Int32Array(2 * bytes.length);
  }
  let parts = bytes.length;
  for (let index = 0; index < parts; index++) starts[index] = index;
  for (let index = 0; index < parts - 1; index++) joined[index] = rankOfPair[pairAt(bytes, index)]!;
  starts[parts] = parts;
  for (;;) {
    const part = lowestOf(joined, parts - 1);
    if (part === undefined) return parts;
    starts.copyWithin(part + 1, part + 2, parts + 1);
    joined.copyWithin(part, part + 1, parts - 1);
    parts -= 1;
    if (part < parts - 1) joined[part] = rankBetween(bytes, starts[part]!, starts[part + 2]!);
    if (part > 0) joined[part - 1] = rankBetween(bytes, starts[part - 1]!, starts[part + 1]!);
  }
}

/** The place of the first of the lowest ranks among so many; undefined where none makes a token. */
function lowestOf(of: Int32Array, count: number): number | undefined {
  let lowest = NONE;
  let place: number | undefined;
  for (let index = 0; index < count; index++) {
    if (of[index]! >= lowest) continue;
    lowest = of[index]!;
    place = index;
  }
  return place;
}

function rankBetween(bytes: string, start: number, end: number): number {
  if (!bytes.startsWith(BOM, start)) return vocabulary.find(bytes, start, end) ?? NONE;
  const part = withoutBom(bytes.slice(start, end));
  return vocabulary.find(part, 0, part.length) ?? NONE;
}

/** The library's decoder drops a byte order mark; whoever counts with it must come to the same number. */
function withoutBom(part: string): string {
  return isUtf8(Buffer.from(part, 'latin1')) ? part.slice(BOM.length) : part;
}

function pairAt(bytes: string, index: number): number {
  return bytes.charCodeAt(index) * 256 + bytes.charCodeAt(index + 1);
}

/** ASCII is its own bytes. */
function bytesOf(text: string): string {
  for (let index = 0; index < text.length; index++)
    if (text.charCodeAt(index) > 0x7f) return Buffer.from(text).toString('latin1');
  return text;
}

import { isUtf8 } from 'node:buffer';
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base';

/** U+FEFF in UTF-8. */
const BOM = '\xef\xbb\xbf';
/** No pair of bytes is a token. */
const NONE = 0x7fffffff;
/** By the bytes of a token, one code unit (Latin-1) a byte. */
const rankOf = new Map<string, number>();
/** The same of pairs of bytes, which every merge begins with: the first byte times 256 and the second. */
const rankOfPair = new Int32Array(0x10000).fill(NONE);

ranks.forEach((token, rank) => {
  // The library looks for what is valid UTF-8 among the texts alone, and finds no byte order mark there.
  if (typeof token !== 'string' && isUtf8(Buffer.from(token))) return;
  const bytes = typeof token === 'string' ? bytesOf(token) : Buffer.from(token).toString('latin1');
  rankOf.set(bytes, rank);
  if (bytes.length === 2) rankOfPair[pairAt(bytes, 0)] = rank;
});

/**
 * The o200k_base tokens of one piece of a text, as the encoding's regular expression divides it. The library's encoder
 * gives the same number; it decodes every candidate of a merge from bytes, which takes several times as long. The time
 * grows with the square of the piece.
 */
export function countPiece(piece: string): number {
  const bytes = bytesOf(piece);
  if (bytes.length < 2 || rankOf.has(bytes)) return bytes.length === 0 ? 0 : 1;
  return mergedPartsOf(bytes);
}

/** Merges the neighbours of the lowest rank, the first of these, until no two make a token. */
function mergedPartsOf(bytes: string): number {
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  /** Of a part with the next one. */
  const joined = Array.from({ length: bytes.length - 1 }, (_, index) => rankOfPair[pairAt(bytes, index)]!);
  for (;;) {
    const lowest = Math.min(...joined);
    if (lowest === NONE || joined.length === 0) return joined.length + 1;
    const part = joined.indexOf(lowest);
    starts.splice(part + 1, 1);
    joined.splice(part, 1);
    if (part < joined.length) joined[part] = rankBetween(bytes, starts[part]!, starts[part + 2]!);
    if (part > 0) joined[part - 1] = rankBetween(bytes, starts[part - 1]!, starts[part + 1]!);
  }
}

function rankBetween(bytes: string, start: number, end: number): number {
  const part = bytes.slice(start, end);
  return rankOf.get(part.startsWith(BOM) ? withoutBom(part) : part) ?? NONE;
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

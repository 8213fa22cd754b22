import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';

/** From one offset on: the alternatives of the expression leave no character out. */
const NEXT = new RegExp(O200K_TOKEN_SPLIT_REGEX.source, 'uy');

/**
 * The pieces that o200k_base divides a text into before it merges bytes, in their order; together they are the text.
 * English words, which most pieces are, are found without the expression.
 */
export function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(text, at);
    yield text.slice(at, end);
    at = end;
  }
}

/** Where the piece ends that starts at an offset, which is 0 or the end of another piece. */
export function endOfPiece(text: string, start: number): number {
  return endOfWord(text, start) ?? endOfMatch(text, start);
}

/** Where a word in ASCII ends that may have one space before it; undefined where only the expression can say. */
function endOfWord(text: string, start: number): number | undefined {
  let at = text.charCodeAt(start) === SPACE ? start + 1 : start;
  while (isUpper(text.charCodeAt(at))) at += 1;
  const lower = at;
  while (isLower(text.charCodeAt(at))) at += 1;
  if (at === lower) return undefined;
  const next = text.charCodeAt(at);
  return next > MAX_ASCII || next === APOSTROPHE ? undefined : at;
}

function endOfMatch(text: string, start: number): number {
  NEXT.lastIndex = start;
  return NEXT.test(text) ? NEXT.lastIndex : start + 1;
}

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const MAX_ASCII = 0x7f;
const isUpper = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a;
const isLower = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;

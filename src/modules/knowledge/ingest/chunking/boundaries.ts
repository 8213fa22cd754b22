const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The code units that are white space in the sense of JavaScript's `\s`. */
const WHITE_SPACE = Uint8Array.from({ length: 0x10000 }, (_, unit) => (/\s/u.test(String.fromCharCode(unit)) ? 1 : 0));

/** Below U+0300 no code unit joins its predecessor into one grapheme, but CR LF. */
const FIRST_COMBINING_UNIT = 0x0300;
/** Grapheme clusters longer than this are cut between code points: unbounded ones are attacks, not text. */
const MAX_GRAPHEME = 4096;

/**
 * The last offset in (start, offset] at which no grapheme cluster (UAX 29) is divided; `start` must itself be such an
 * offset. When the cluster at `start` reaches past `offset`, its end.
 */
export function graphemeBoundaryBefore(text: string, start: number, offset: number): number {
  if (isPlainBoundary(text, offset)) return offset;
  const window = text.slice(start, Math.min(text.length, offset + MAX_GRAPHEME));
  let last = 0;
  for (const { index } of segmenter.segment(window)) {
    if (start + index > offset) return start + (last === 0 ? index : last);
    last = index;
  }
  return last > 0 ? start + last : codePointBoundary(text, start + window.length);
}

/** Whether cutting at `offset` divides no grapheme cluster, decided without a segmenter; false means "perhaps not". */
function isPlainBoundary(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return true;
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  if (before === 0x0a) return true;
  return before < FIRST_COMBINING_UNIT && after < FIRST_COMBINING_UNIT && before !== 0x0d;
}

function codePointBoundary(text: string, offset: number): number {
  const low = text.charCodeAt(offset) >> 10 === 0x37;
  return low && text.charCodeAt(offset - 1) >> 10 === 0x36 ? offset + 1 : offset;
}

function isWhiteSpace(unit: number): boolean {
  return WHITE_SPACE[unit] === 1;
}

/** `offset` moved forward over white space, but not between white space and a mark that combines with it. */
export function skipWhiteSpace(text: string, offset: number, end: number): number {
  let at = offset;
  while (at < end && isWhiteSpace(text.charCodeAt(at))) at += 1;
  return at > offset && joinsPredecessor(text, at) ? at - 1 : at;
}

/** `offset` moved back over white space. */
export function trimWhiteSpace(text: string, start: number, offset: number): number {
  let at = offset;
  while (at > start && isWhiteSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function joinsPredecessor(text: string, offset: number): boolean {
  if (isPlainBoundary(text, offset)) return false;
  return /^[\p{M}\u200d]/u.test(text.slice(offset, offset + 2));
}

/** The last sentence end in (from, to], as the offset just after it; -1 when there is none. */
export function sentenceEndBefore(text: string, from: number, to: number): number {
  for (let at = to; at > from; at -= 1) if (isSentenceEnd(text, at)) return at;
  return -1;
}

/** The first sentence end in [from, to), as the offset just after it; -1 when there is none. */
export function sentenceEndAfter(text: string, from: number, to: number): number {
  for (let at = Math.max(from, 1); at < to; at += 1) if (isSentenceEnd(text, at)) return at;
  return -1;
}

/**
 * A sentence ends after `. ! ? …` and closing quotes or brackets when white space follows, and after an ideographic
 * full stop.
 */
function isSentenceEnd(text: string, offset: number): boolean {
  let at = offset - 1;
  if ('。！？｡'.includes(text.charAt(at))) return !joinsPredecessor(text, offset);
  if (!isWhiteSpace(text.charCodeAt(offset))) return false;
  while (at > offset - 4 && '"\')]}”’»'.includes(text.charAt(at))) at -= 1;
  return at >= 0 && '.!?…'.includes(text.charAt(at)) && text.charAt(at) !== '';
}

/** The last line end in (from, to], as the offset just after the line feed; -1 when there is none. */
export function lineEndBefore(text: string, from: number, to: number): number {
  for (let at = to; at > from; at -= 1) if (text.charCodeAt(at - 1) === 0x0a) return at;
  return -1;
}

/** The last offset in (from, to] that follows white space; -1 when there is none. */
export function wordStartBefore(text: string, from: number, to: number): number {
  for (let at = to; at > from; at -= 1) {
    if (isWhiteSpace(text.charCodeAt(at - 1)) && isPlainBoundary(text, at)) return at;
  }
  return -1;
}

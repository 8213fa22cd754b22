/**
 * A fast token estimate over UTF-16 code units, one pass and no allocation. Text is cut into runs of one class, and a
 * run costs:
 *
 * | class | cost of a run of n units |
 * | --- | --- |
 * | letters, digits and marks | ceil(n / 10) |
 * | ideographs and kana | n |
 * | surrogate pairs (emoji, rare ideographs) | ceil(n / 2) |
 * | anything else (punctuation, symbols) | ceil(n / 4) |
 * | white space | floor(n / 16) |
 *
 * For English prose this is close to the number of words plus punctuation. The estimate is sub-additive: a text costs
 * at most what
 * its parts cost. White space is charged so that a chunk of n tokens never holds more than 16 (n + 1) code units.
 */
const WHITE_SPACE = 0;
const WORD = 1;
const IDEOGRAPH = 2;
const SURROGATE = 3;
const SYMBOL = 4;
const UNITS_A_TOKEN = Uint8Array.of(16, 10, 1, 2, 4);

const CLASS_OF_UNIT = classifyUnits();

function classifyUnits(): Uint8Array {
  const classes = new Uint8Array(0x10000);
  for (let unit = 0; unit < classes.length; unit += 1) classes[unit] = classOf(unit);
  return classes;
}

function classOf(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return SURROGATE;
  const character = String.fromCharCode(unit);
  if (/\s/u.test(character)) return WHITE_SPACE;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) return IDEOGRAPH;
  return /[\p{L}\p{N}\p{M}]/u.test(character) ? WORD : SYMBOL;
}

/** Whether the code unit is white space in the sense of JavaScript's `\s`. */
export function isWhiteSpace(unit: number): boolean {
  return CLASS_OF_UNIT[unit] === WHITE_SPACE;
}

/** The estimated tokens of `text.slice(start, end)`. */
export function estimateTokens(text: string, start = 0, end = text.length): number {
  let tokens = 0;
  let previous = -1;
  let run = 0;
  for (let at = start; at < end; at += 1) {
    const kind = CLASS_OF_UNIT[text.charCodeAt(at)]!;
    run = kind === previous ? run + 1 : 1;
    previous = kind;
    tokens += costsToken(kind, run) ? 1 : 0;
  }
  return tokens;
}

/** The largest offset up to `end` such that `text.slice(start, offset)` costs at most `tokens`. */
export function advanceTokens(text: string, start: number, end: number, tokens: number): number {
  let left = tokens;
  let previous = -1;
  let run = 0;
  for (let at = start; at < end; at += 1) {
    const kind = CLASS_OF_UNIT[text.charCodeAt(at)]!;
    run = kind === previous ? run + 1 : 1;
    previous = kind;
    if (!costsToken(kind, run)) continue;
    if (left === 0) return at;
    left -= 1;
  }
  return end;
}

/** White space pays when a token's worth of it is full, everything else as soon as one is begun. */
function costsToken(kind: number, run: number): boolean {
  const units = UNITS_A_TOKEN[kind]!;
  if (kind === WHITE_SPACE) return run % units === 0;
  return units === 1 || run % units === 1;
}

/** Words in a row that are compared, and how many such rows a text needs to be compared. */
const ROW = 4;
const MIN_ROWS = 3;
/** What share of the shorter one's rows stands in the other, and how much shorter it may be. */
const SHARED = 0.8;
const MIN_SIZE = 0.5;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The rows of four words that a text has (shingles, Broder 1997), case aside. */
export function rowsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(WORD) ?? [];
  return new Set(words.slice(ROW - 1).map((_, i) => words.slice(i, i + ROW).join(' ')));
}

/**
 * Whether two texts say nearly the same: most of the shorter one stands in the other, word for word, and that one says
 * not much more.
 */
export function areNear(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  if (few.size < MIN_ROWS || few.size < many.size * MIN_SIZE) return false;
  let shared = 0;
  for (const row of few) if (many.has(row)) shared++;
  return shared >= few.size * SHARED;
}

import { setImmediate } from 'node:timers/promises';
import type * as TextTokens from './text-tokens.js';

/** The encoding that tokens are counted in (D36). */
export const ENCODING = 'o200k_base';

/** No token of the encoding stands for more characters. */
const MAX_TOKEN = 128;
/** Characters counted between two looks at other work: long runs without a space take a while. */
const BREATH = 16_384;
/** How the library counts for comparison: names of special tokens within a text are text. */
export const COUNT_AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Longer runs without a place to split are counted in parts: the time of one grows with its square. Where a budget is
 * kept to the token, more is taken.
 */
const MAX_RUN = 512;
const MAX_RUN_EXACT = 4096;

let loading: Promise<typeof TextTokens> | undefined;
let sinceBreath = 0;

/** The tables take memory and a moment: a process that counts nothing loads nothing. */
const load = (): Promise<typeof TextTokens> => (loading ??= import('./text-tokens.js'));

/**
 * The tokens of a text, or false when they are more than the limit. Exact but for runs of more than 4,096 characters.
 */
export async function countTokensWithin(text: string, limit: number): Promise<number | false> {
  if (text.length > Math.max(0, limit) * MAX_TOKEN) return false;
  const tokens = await count(text, MAX_RUN_EXACT, limit);
  return tokens <= limit && tokens;
}

/**
 * The tokens of a text. Exact but for runs of more than 512 letters, digits, signs or blanks without a split, whose
 * parts are counted one by one.
 */
export const countTokens = (text: string): Promise<number> => count(text, MAX_RUN, Infinity);

/** Of a text of more than `enough`, at least one more. Other work has its turn now and then. */
async function count(text: string, longest: number, enough: number): Promise<number> {
  const { countsOf } = await load();
  let tokens = 0;
  for (const { characters, tokens: more } of countsOf(text, longest)) {
    tokens += more;
    if (tokens > enough) break;
    sinceBreath += characters;
    if (sinceBreath <= BREATH) continue;
    sinceBreath = 0;
    await setImmediate();
  }
  return tokens;
}

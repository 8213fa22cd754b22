import { setImmediate } from 'node:timers/promises';
import type * as O200kBase from 'gpt-tokenizer/encoding/o200k_base';

/** The encoding that tokens are counted in (D36). */
export const ENCODING = 'o200k_base';

/** No token of the encoding stands for more characters. */
const MAX_TOKEN = 128;
/** Characters counted between two looks at other work: long runs without a space take the encoder a while. */
const BREATH = 16_384;
/** How many merges it caches; its default would keep texts of tenants by the hundred thousand. */
const CACHE = 2000;
/** Names of special tokens within a text are text. */
export const COUNT_AS_TEXT = { disallowedSpecial: new Set<string>() };

let loading: Promise<typeof O200kBase> | undefined;
let sinceBreath = 0;

/** The tables take 50 MB and a quarter of a second: a process that counts nothing loads nothing. */
async function load(): Promise<typeof O200kBase> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then((encoding) => {
    encoding.setMergeCacheSize(CACHE);
    return encoding;
  });
  return loading;
}

/** Lets other work go on now and then before the next text is counted. */
async function breathe({ length }: string): Promise<void> {
  sinceBreath += length;
  if (sinceBreath <= BREATH) return;
  sinceBreath = 0;
  await setImmediate();
}

/** The tokens of a text, or false when they are more than the limit. */
export async function countTokensWithin(text: string, limit: number): Promise<number | false> {
  if (text === '') return limit >= 0 ? 0 : false;
  if (limit <= 0 || text.length > limit * MAX_TOKEN) return false;
  const encoding = await load();
  await breathe(text);
  return encoding.isWithinTokenLimit(text, limit, COUNT_AS_TEXT);
}

/**
 * Longer runs without a place to split are counted in parts: the encoder's time grows with their square, 6 s for 64 KiB
 * of one letter.
 */
const MAX_RUN = 512;
/** What is handed to the encoder at once of a long text. */
const PART = 4096;

/**
 * The tokens of a text. Exact but for runs of more than 512 letters, digits, signs or blanks without a split, whose
 * parts are counted one by one.
 */
export async function countTokens(text: string): Promise<number> {
  const parts =
    text.length <= MAX_RUN
      ? [text]
      : partsOf(text, (await import('gpt-tokenizer/encodingParams/constants')).O200K_TOKEN_SPLIT_REGEX);
  let tokens = 0;
  const encoding = await load();
  for (const part of parts) {
    await breathe(part);
    tokens += encoding.countTokens(part, COUNT_AS_TEXT);
  }
  return tokens;
}

/** Cuts a text where the encoding splits it anyway, and within runs that are too long. */
function* partsOf(text: string, split: RegExp): Generator<string> {
  let from = 0;
  for (const { 0: piece, index } of text.matchAll(split)) {
    if (piece.length <= MAX_RUN && index + piece.length - from <= PART) continue;
    if (index > from) yield text.slice(from, index);
    from = index;
    for (; index + piece.length - from > MAX_RUN;) {
      const end = from + MAX_RUN;
      const isWithinPair = (text.charCodeAt(end) & 0xfc00) === 0xdc00;
      yield text.slice(from, end + (isWithinPair ? 1 : 0));
      from = end + (isWithinPair ? 1 : 0);
    }
  }
  if (from < text.length) yield text.slice(from);
}

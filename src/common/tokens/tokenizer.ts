import { setImmediate } from 'node:timers/promises';
import type * as O200kBase from 'gpt-tokenizer/encoding/o200k_base';

/** The encoding that tokens are counted in (D36). */
export const ENCODING = 'o200k_base';

/** No token of the encoding stands for more characters. */
const LONGEST_TOKEN = 128;
/** Characters counted between two looks at other work: long runs without a space take the encoder a while. */
const BREATH = 16_384;
/** What merges it remembers; its default would keep texts of tenants by the hundred thousand. */
const CACHE = 2000;
/** Names of special tokens within a text are text. */
const OPTIONS = { disallowedSpecial: new Set<string>() };

let loading: Promise<typeof O200kBase> | undefined;
let sinceBreath = 0;

/** The tables take 50 MB and a quarter of a second: whoever counts nothing loads nothing. */
async function load(): Promise<typeof O200kBase> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then((encoding) => {
    encoding.setMergeCacheSize(CACHE);
    return encoding;
  });
  return loading;
}

/** The tokens of a text, or false when they are more than the limit. */
export async function countTokensWithin(text: string, limit: number): Promise<number | false> {
  if (text === '') return limit >= 0 ? 0 : false;
  if (limit <= 0 || text.length > limit * LONGEST_TOKEN) return false;
  const encoding = await load();
  sinceBreath += text.length;
  if (sinceBreath > BREATH) {
    sinceBreath = 0;
    await setImmediate();
  }
  return encoding.isWithinTokenLimit(text, limit, OPTIONS);
}

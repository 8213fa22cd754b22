import { parse } from 'yaml';
import { z } from 'zod';
import type { ModelTokens, Money, Price, PriceList } from './cost.types.js';

const AMOUNT = /^\d{1,9}(\.\d{1,6})?$/;
const amount = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => AMOUNT.test(text), 'is no amount: digits, at most 6 of them after a point');
const FORM = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/, 'is no code of a currency such as USD'),
  prices: z
    .array(
      z.strictObject({
        model: z.string().min(1).max(200),
        input_per_million: amount,
        output_per_million: amount.optional(),
      }),
    )
    .max(1000),
});

/** A millionth of a millionth: a price in millionths, for one token of a million. */
const SCALE = 12;

/** Reads the text of SVCD_PRICES_FILE, in YAML 1.2 or JSON. @throws Error saying what is wrong */
export function pricesOf(text: string): PriceList {
  const read = FORM.safeParse(parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`${issue!.path.join('.') || 'the whole'}: ${issue!.message}`);
  }
  const { currency, prices } = read.data;
  return {
    currency,
    prices: prices.map(({ model, input_per_million: input, output_per_million: output = '0' }) => ({
      pattern: model.toLowerCase(),
      inputMicros: scaled(input, 6),
      outputMicros: scaled(output, 6),
    })),
  };
}

/** What tokens of several models cost. */
export function costOf(models: readonly ModelTokens[], { currency, prices }: PriceList): Money {
  let sum = 0n;
  let unpricedTokens = 0n;
  for (const { model, tokensIn, tokensOut } of models) {
    const price = prices.find(({ pattern }) => fits(model.toLowerCase(), pattern));
    if (price) sum += priceOf(price, tokensIn, tokensOut);
    else unpricedTokens += tokensIn + tokensOut;
  }
  return { currency, amount: unscaled(sum), unpricedTokens };
}

const priceOf = ({ inputMicros, outputMicros }: Price, tokensIn: bigint, tokensOut: bigint): bigint =>
  tokensIn * inputMicros + tokensOut * outputMicros;

/** `*` stands for any characters. In one pass: a list of an operator must not hold up a process. */
export function fits(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  const last = rest.pop()!;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function scaled(text: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

/** As few digits as say it exactly, and two at least. */
function unscaled(sum: bigint): string {
  const digits = sum.toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '').padEnd(2, '0');
  return `${digits.slice(0, -SCALE)}.${fraction}`;
}

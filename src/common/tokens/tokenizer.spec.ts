import * as o200kBase from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokens } from './tokenizer.js';

const exact = (text: string): number => o200kBase.countTokens(text, { disallowedSpecial: new Set<string>() });

describe('the tokens of a text', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'London'],
    ['long prose', 'It was 12,345 times  said:\n\n\t"Don\'t!" '.repeat(400)],
    ['code', 'if (a<=b){\r\n    return `x${y}`;\n}\n'.repeat(500)],
    ['other scripts', 'Übergrößenträger 東京は日本の首都です。 Привет 🏔🏔 '.repeat(300)],
    ['names of special tokens', '<|endoftext|> '.repeat(600)],
    ['many blanks', `a${' '.repeat(500)}b `.repeat(20)],
  ])('are those of the encoding: %s', async (_what, text) => {
    expect(await countTokens(text)).toBe(exact(text));
  });

  it('of runs without an end come in good time, and about right', async () => {
    const letters = 'qzjxkvbw'.repeat(125);
    const counted = await countTokens(letters);
    expect(Math.abs(counted - exact(letters))).toBeLessThanOrEqual(2);
    expect(await countTokens('a'.repeat(1_000_000))).toBeGreaterThan(100_000);
    expect(await countTokens('🏔'.repeat(1000))).toBe(exact('🏔'.repeat(1000)));
  }, 20_000);
});

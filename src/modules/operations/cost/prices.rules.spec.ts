import { describe, expect, it } from 'vitest';
import { costOf, fits, pricesOf } from './prices.rules.js';

const LIST = `
currency: USD
prices:
  - { model: 'gpt-5-mini', input_per_million: 0.25, output_per_million: '2' }
  - { model: 'gpt-5*', input_per_million: '1.25', output_per_million: '10' }
  - { model: 'embed-*', input_per_million: '0.020001' }
`;
const tokens = (model: string, tokensIn: number, tokensOut = 0) => ({
  ...{ model, tokensIn: BigInt(tokensIn), tokensOut: BigInt(tokensOut) },
});

describe('what tokens cost', () => {
  const list = pricesOf(LIST);

  it('is exact, by the first price that fits', () => {
    expect(costOf([tokens('gpt-5-mini', 1)], list).amount).toBe('0.00000025');
    expect(costOf([tokens('GPT-5', 1_000_000, 1_000_000)], list).amount).toBe('11.25');
    expect(costOf([tokens('gpt-5-mini', 3, 7), tokens('embed-3', 1)], list).amount).toBe('0.000014770001');
    expect(costOf([tokens('gpt-5', 9_007_199_254_740_991)], list).amount).toBe('11258999068.42623875');
  });

  it('says how many tokens have no price', () => {
    expect(costOf([tokens('other', 5, 6), tokens('gpt-5', 0)], list)).toEqual({
      ...{ currency: 'USD', amount: '0.00', unpricedTokens: 11n },
    });
  });
});

it.each([
  ['a*c', 'abc', true],
  ['a*c', 'ac', true],
  ['aa*a', 'aa', false],
  ['*b*b*', 'abab', true],
  ['*b*b', 'ab', false],
  ['*', '', true],
  ['a', 'ab', false],
])('%s fits %s: %s', (pattern, text, expected) => {
  expect(fits(text, pattern)).toBe(expected);
});

it.each([
  ['[]', 'the whole'],
  ['{currency: usd, prices: []}', 'currency'],
  ['{currency: USD, prices: [{model: a, input_per_million: -1}]}', 'prices.0.input_per_million'],
  ['{currency: USD, prices: [{model: a, input_per_million: 0.1234567}]}', 'prices.0.input_per_million'],
  ['{currency: USD, prices: [{model: a, input: 1}]}', 'prices.0'],
])('a list is refused: %s', (text, place) => {
  expect(() => pricesOf(text)).toThrow(place);
});

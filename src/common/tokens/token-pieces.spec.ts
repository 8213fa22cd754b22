import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { expect, it } from 'vitest';
import { piecesOf } from './token-pieces.js';

const SIGNS = [
  ..."abcxyzABZ    ''.,-1239\n\r\t\u00a0éÉß漢字かкЖהع\u0301\u02b0\ufeff😀\ud800\udc00",
  "'s",
  "'ll",
  ' the',
  'Word',
];

it('a text is divided as the expression of the encoding divides it, whatever it holds', () => {
  let state = 1;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647);
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: next() % 16 }, () => SIGNS[next() % SIGNS.length]!).join('');
    const expected = [...text.matchAll(O200K_TOKEN_SPLIT_REGEX)].map(([piece]) => piece);
    expect([...piecesOf(text)]).toEqual(expected);
  }
});

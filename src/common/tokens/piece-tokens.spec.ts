import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { describe, expect, it } from 'vitest';
import { countPiece } from './piece-tokens.js';
import { COUNT_AS_TEXT } from './tokenizer.js';

const pieces = (text: string): string[] => [...text.matchAll(O200K_TOKEN_SPLIT_REGEX)].map(([piece]) => piece);
const count = (text: string): number => pieces(text).reduce((sum, piece) => sum + countPiece(piece), 0);

const SCRIPTS = [
  'abcdefghijklmnopqrstuvwxyz',
  'ABCdefGHI \n\t0123456789.,;:!?\'"()<>/|',
  'äöüßéèêçñåøæœ ',
  'абвгдежзийклмнопрстуфхцчшщъыьэюя ',
  '漢字仮名交じり文日本語中文字符 ',
  '한국어텍스트입니다 ',
  'עבריתالعربيةहिन्दीภาษาไทย ',
  'the\ufeffé 1',
  '😀👩‍👩‍👧‍👦🏳️‍🌈🇩🇪e\u0301\u200d\ud83d ',
];

describe('tokens of a piece', () => {
  it.each(['', 'a', 'é', 'the', ' the', 'zqxj', '<|endoftext|>', "don't", '    ', '\r\n\r\n', 'naïveté', '\ud800'])(
    'of %j are as many as the encoder gives',
    (text) => {
      expect(count(text)).toBe(countTokens(text, COUNT_AS_TEXT));
    },
  );

  it.each(SCRIPTS)('of words made of %s are as many as the encoder gives', (alphabet) => {
    const signs = [...alphabet];
    let state = 1;
    const next = (): number => (state = (state * 48_271) % 2_147_483_647);
    for (let word = 0; word < 500; word++) {
      const text = Array.from({ length: 1 + (next() % 24) }, () => signs[next() % signs.length]!).join('');
      expect([text, count(text)]).toEqual([text, countTokens(text, COUNT_AS_TEXT)]);
    }
  });
});

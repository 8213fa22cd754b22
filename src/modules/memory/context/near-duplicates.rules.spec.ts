import { expect, it } from 'vitest';
import { SaidTexts } from './near-duplicates.rules.js';

const near = (a: string, b: string) => {
  const said = new SaidTexts<string>();
  said.add('a', a);
  return said.find(b) === 'a';
};
const SAID = 'I went to the support group yesterday and it was powerful';

it('texts of the same words in the same order are near, whatever stands around them', () => {
  expect(near(`Ada: ${SAID}.`, `ada D1:3 8 May 2023 ${SAID}`)).toBe(true);
  expect(near(SAID, SAID.toUpperCase())).toBe(true);
});

it('the same words in another order, and one among many others, are not', () => {
  expect(near(SAID, SAID.split(' ').reverse().join(' '))).toBe(false);
  expect(near(SAID, `${SAID} ${Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ')}`)).toBe(false);
});

it('short texts are not compared: one word may be all the difference', () => {
  expect(near('The port is 80', 'The port is 80')).toBe(false);
  expect(near('', '')).toBe(false);
});

it('only texts that count are looked at', () => {
  const said = new SaidTexts<number>();
  said.add(1, SAID);
  said.add(2, `${SAID}!`);
  expect([said.find(SAID), said.find(SAID, (of) => of > 1), said.find(SAID, () => false)]).toEqual([1, 2, undefined]);
});

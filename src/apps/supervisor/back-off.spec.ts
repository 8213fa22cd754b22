import { expect, it } from 'vitest';
import { BackOff } from './back-off.js';

it('doubles with every crash in a row, to five seconds at most', () => {
  const backOff = new BackOff();
  expect(Array.from({ length: 9 }, () => backOff.next(100))).toEqual([
    250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000,
  ]);
});

it('begins again after a steady half minute', () => {
  const backOff = new BackOff();
  expect([100, 100, 29_999, 30_000, 100].map((ranFor) => backOff.next(ranFor))).toEqual([250, 500, 1000, 250, 500]);
});

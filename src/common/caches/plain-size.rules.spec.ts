import { expect, test } from 'vitest';
import { plainSize } from './plain-size.rules.js';

test('grows with what a value holds', () => {
  expect(plainSize('x'.repeat(1000)) - plainSize('')).toBe(1000);
  expect(plainSize('Ω'.repeat(1000)) - plainSize('')).toBe(2000);
  expect(plainSize(new Float32Array(100))).toBeGreaterThanOrEqual(400);
  const one = { id: 'a'.repeat(26), place: 7 };
  expect(plainSize([one, one, one]) - plainSize([one, one])).toBe(plainSize(one) + 8);
});

test('what holds nothing takes nothing of its own', () => {
  expect([undefined, null, true, false].map(plainSize)).toEqual([0, 0, 0, 0]);
});

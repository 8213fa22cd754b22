import { expect, it } from 'vitest';
import { memoryShareMib } from './memory-share.js';

it('a share is a part of the memory in whole MiB, within its bounds', () => {
  const half = memoryShareMib(1 / 2, 1, 2 ** 40);
  expect(Number.isInteger(half)).toBe(true);
  expect(Math.abs(memoryShareMib(1, 1, 2 ** 40) - 2 * half)).toBeLessThanOrEqual(1);
  expect([memoryShareMib(1 / 2, 1, 7), memoryShareMib(0, 5, 9)]).toEqual([7, 5]);
});

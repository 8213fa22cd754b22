import { expect, test } from 'vitest';
import { atOnce, inSlices } from './slices.js';

function* counting(until: number): Generator<void, number> {
  let sum = 0;
  for (let i = 0; i < until; i++) {
    for (const end = performance.now() + 0.5; performance.now() < end;) sum++;
    yield;
  }
  return until + 0 * sum;
}

test('others run while work is done in slices', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  expect(await inSlices(counting(60))).toBe(60);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
});

test('what is done at once has the same result', () => {
  expect(atOnce(counting(2))).toBe(2);
});

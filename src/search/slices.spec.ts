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

test('of several works at once others wait for one slice alone', async () => {
  const order: string[] = [];
  function* named(name: string): Generator<void, void> {
    yield* counting(1);
    for (let step = 0; step < 30; step++) {
      if (order.at(-1) !== name) order.push(name);
      yield* counting(1);
    }
  }
  let isOver = false;
  const others = () => {
    order.push('others');
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  await Promise.all(['a', 'b', 'c'].map((name) => inSlices(named(name))));
  isOver = true;
  expect(new Set(order)).toEqual(new Set(['others', 'a', 'b', 'c']));
  expect(order.filter((name, place) => name !== 'others' && (order[place - 1] ?? 'others') !== 'others')).toEqual([]);
});

test('what is done at once has the same result', () => {
  expect(atOnce(counting(2))).toBe(2);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runClosedLoop } from './closed-loop.js';

it('keeps as many requests in flight as there are clients, for the time given', async () => {
  let inFlight = 0;
  let most = 0;
  let made = 0;
  const options = { clients: 4, warmUpRequests: 8, seconds: 0.4, maxRequests: Infinity };
  const result = await runClosedLoop(options, async (number) => {
    most = Math.max(most, ++inFlight);
    await sleep(20);
    inFlight--;
    made++;
    return number % 10 !== 0;
  });
  expect(most).toBe(4);
  expect(result.count + result.failed).toBe(made - 8);
  expect(result.failed).toBe(Math.ceil((made - 8) / 10));
  expect(result.perSecond).toBeGreaterThan(result.count / 0.6);
  expect(result.perSecond).toBeLessThanOrEqual(result.count / 0.4);
  expect(result.p50).toBeGreaterThanOrEqual(19);
  expect(result.p99).toBeGreaterThanOrEqual(result.p50);
});

it('ends after the number of requests given, each number once', async () => {
  const numbers: number[] = [];
  const options = { clients: 3, warmUpRequests: 0, seconds: 60, maxRequests: 10 };
  const result = await runClosedLoop(options, async (number) => {
    await sleep(1);
    return numbers.push(number) > 0;
  });
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => i));
  expect(result).toMatchObject({ count: 10, failed: 0 });
});

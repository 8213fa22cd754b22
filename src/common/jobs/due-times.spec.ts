import { expect, it } from 'vitest';
import { DueTimes } from './due-times.js';

const NOW = Date.UTC(2026, 10, 22);
const SECOND = 1000;

it('puts the first job of another tenant before the second of one that sent many', () => {
  const times = new DueTimes();
  const many = Array.from({ length: 30 }, () => times.next('a', 16 * SECOND, NOW));
  const later = times.next('b', 16 * SECOND, NOW + 5_000);
  expect(many).toEqual([...many].sort((left, right) => right - left));
  expect([later < many[0]!, later > many[1]!]).toEqual([true, true]);
});

it('lets two tenants that send as much take turns', () => {
  const times = new DueTimes();
  const order = Array.from({ length: 4 }, () => ['a', 'b'].map((tenant) => times.next(tenant, 4 * SECOND, NOW)));
  expect(order.every(([a, b]) => a === b)).toBe(true);
});

it('has every job come before what is sent long after it', () => {
  const times = new DueTimes();
  const last = Array.from({ length: 30 }, () => times.next('a', 16 * SECOND, NOW)).at(-1)!;
  expect(times.next('b', 2, NOW + 30 * 16 * SECOND)).toBeLessThan(last);
});

it('evicts tenants whose jobs are due', () => {
  const times = new DueTimes();
  for (let tenant = 0; tenant < 10_000; tenant += 1) times.next(`t${tenant}`, 4 * SECOND, NOW);
  const fresh = times.next('t0', 4 * SECOND, NOW + 60_000);
  expect(times.next('t1', 4 * SECOND, NOW + 60_000)).toBe(fresh);
});

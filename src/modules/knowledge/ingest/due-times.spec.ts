import { expect, it } from 'vitest';
import { DueTimes } from './due-times.js';

const NOW = Date.UTC(2026, 10, 22);
const MIB = 1024 * 1024;

it('puts the first job of another tenant before the second of one that sent many', () => {
  const times = new DueTimes();
  const many = Array.from({ length: 30 }, () => times.next('a', 4 * MIB, NOW));
  const later = times.next('b', 4 * MIB, NOW + 5_000);
  expect(many).toEqual([...many].sort((left, right) => right - left));
  expect([later < many[0]!, later > many[1]!]).toEqual([true, true]);
});

it('lets two tenants that send as much take turns', () => {
  const times = new DueTimes();
  const order = Array.from({ length: 4 }, () => ['a', 'b'].map((tenant) => times.next(tenant, MIB, NOW)));
  expect(order.every(([a, b]) => a === b)).toBe(true);
});

it('has every job come before what is sent long after it', () => {
  const times = new DueTimes();
  const last = Array.from({ length: 30 }, () => times.next('a', 4 * MIB, NOW)).at(-1)!;
  expect(times.next('b', 10, NOW + 30 * 16_000)).toBeLessThan(last);
});

it('evicts tenants whose jobs are due', () => {
  const times = new DueTimes();
  for (let tenant = 0; tenant < 10_000; tenant += 1) times.next(`t${tenant}`, MIB, NOW);
  const fresh = times.next('t0', MIB, NOW + 60_000);
  expect(times.next('t1', MIB, NOW + 60_000)).toBe(fresh);
});

import { expect, it } from 'vitest';
import { refusalOf, secondsToUtcMidnight } from './agents.rules.js';

const EVENING = new Date('2026-11-21T23:59:30.400Z');
const left = (creditsRemaining: number, dailyQueryRemaining: number) =>
  refusalOf({ creditsRemaining, dailyQueryRemaining, upgradeUrl: 'https://svc.example/' }, EVENING);

it('counts the seconds to the next UTC day, never none', () => {
  expect(secondsToUtcMidnight(EVENING)).toBe(30);
  expect(secondsToUtcMidnight(new Date('2026-11-22T00:00:00.000Z'))).toBe(86_400);
  expect(secondsToUtcMidnight(new Date('2026-11-21T23:59:59.999Z'))).toBe(1);
});

it('refuses nothing while a query is left and paid for', () => {
  expect(left(5, 1)).toBeUndefined();
});

it('tells when to come back only where that helps', () => {
  expect(left(5, 0)?.facts).toEqual({
    creditBalance: 5,
    dailyRemaining: 0,
    upgradeUrl: 'https://svc.example/',
    retryAfterSec: 30,
    retryable: true,
  });
  const spent = { creditBalance: 4, upgradeUrl: 'https://svc.example/', retryable: false };
  expect(left(4, 7)?.facts).toEqual({ ...spent, dailyRemaining: 7 });
  expect(left(4, 0)?.facts).toEqual({ ...spent, dailyRemaining: 0 });
});

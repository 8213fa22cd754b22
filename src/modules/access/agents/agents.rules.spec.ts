import { expect, it } from 'vitest';
import { grantedTier, lowerTier, refusalOf, secondsToUtcMidnight, sponsoredAt } from './agents.rules.js';

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

it('states when to retry only where that helps', () => {
  const upgradeUrl = 'https://svc.example/';
  const refusal = (credits: number, queries: number) => [
    left(credits, queries)?.facts,
    left(credits, queries)?.retryable,
  ];
  expect(refusal(5, 0)).toEqual([{ creditBalance: 5, dailyRemaining: 0, upgradeUrl, retryAfterSec: 30 }, true]);
  expect(refusal(4, 7)).toEqual([{ creditBalance: 4, dailyRemaining: 7, upgradeUrl }, false]);
  expect(refusal(4, 0)).toEqual([{ creditBalance: 4, dailyRemaining: 0, upgradeUrl }, false]);
});

it('lets an agent act by the lower of two tiers, and finds by it what it is sponsored at', () => {
  expect([lowerTier('free', 'team'), lowerTier('pro', 'starter'), lowerTier('team', 'team')]).toEqual([
    'free',
    'starter',
    'team',
  ]);
  expect([grantedTier('team', 'free'), grantedTier('team', 'pro'), grantedTier('starter', 'team')]).toEqual([
    'starter',
    'pro',
    'starter',
  ]);
  expect(sponsoredAt('free', 'free')).toEqual(['starter', 'pro', 'team']);
  expect(sponsoredAt('free', 'pro')).toEqual([]);
  expect(sponsoredAt('starter', 'pro')).toEqual(['starter']);
  expect(sponsoredAt('pro', 'pro')).toEqual(['pro', 'team']);
  expect(sponsoredAt('team', 'pro')).toEqual([]);
});

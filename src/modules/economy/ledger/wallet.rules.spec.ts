import { describe, expect, it } from 'vitest';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { creditsOf, nextMonth, purseOf } from './wallet.rules.js';

const caller = (members: Partial<TenantCaller>): TenantCaller => ({
  tenantId: 't',
  tier: 'pro',
  principal: 'agent:0190',
  role: 'member',
  authType: 'agent',
  ...members,
});

describe('a purse', () => {
  it('is the tenant’s for everyone in it, and an agent’s own without a sponsor, whatever it names', () => {
    expect(purseOf(caller({}), 'researcher')).toEqual({ agentId: 'researcher', allowance: 20_000 });
    expect(purseOf(caller({ role: 'discovery' }), 'researcher')).toEqual({ agentId: '0190', allowance: null });
  });
});

describe('credits of the database', () => {
  it('are exact or refused', () => {
    expect([creditsOf('9007199254740991'), creditsOf(null), creditsOf(undefined)]).toEqual([2 ** 53 - 1, 0, 0]);
    expect(() => creditsOf('9007199254740993')).toThrow(/exactly/);
  });
});

describe('the next month', () => {
  it.each([
    ['2026-11', '2026-12-01T00:00:00.000Z'],
    ['2026-12', '2027-01-01T00:00:00.000Z'],
  ])('after %s begins %s', (month, start) => expect(nextMonth(month)).toBe(start));
});

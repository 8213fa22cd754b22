import { describe, expect, it } from 'vitest';
import { capOf, planConversion } from './conversion.rules.js';

describe('a conversion', () => {
  it('is at most half the price of the tier', () => {
    expect([capOf('free'), capOf('starter'), capOf('pro'), capOf('team')]).toEqual([0, 1450, 4950, 14950]);
  });

  it.each([
    [100, 100, 0, 100],
    [199, 100, 99, 100],
    [1_450, 1_400, 50, 1_400],
    [1_000_000_000, 1_000_000_000, 0, 1_000_000_000],
  ])('of %i credits takes %i, leaves %i and comes to %i pence', (asked, credits, remainderCredits, pence) => {
    expect(planConversion('team', asked, 0)).toMatchObject({ credits, remainderCredits, pence });
  });

  it('is refused without a subscription, and past what is left of the cap', () => {
    expect(planConversion('free', 100, 0).refusal).toBe('NoSubscription');
    expect(planConversion('starter', 1_400, 0)).toMatchObject({ refusal: null, remainingPence: 1450 });
    expect(planConversion('starter', 1_500, 0).refusal).toBe('ConversionCapReached');
    expect(planConversion('starter', 100, 1_400)).toMatchObject({
      refusal: 'ConversionCapReached',
      remainingPence: 50,
    });
    expect(planConversion('starter', 100, 2_000)).toMatchObject({ remainingPence: 0 });
  });
});

import type { Tier } from '../../../common/contract/caller.js';

/** What a subscription costs a month, in pence. The free tier has none. */
export const SUBSCRIPTION_PENCE: Record<Tier, number> = { free: 0, starter: 2_900, pro: 9_900, team: 29_900 };
/** 100 credits are one pound, and are converted by the hundred. */
const CREDITS_A_POUND = 100;
const PENCE_A_POUND = 100;
/** How long a payment provider usually takes to put a discount on a bill. */
export const EXPECTED_WITHIN_HOURS = 72;
/** After which a conversion that nobody settled fails, and its credits are released (D87). */
export const EXPIRES_AFTER_DAYS = 7;
const DAY_MS = 86_400_000;

/** At most half of the month's price. */
export const capOf = (tier: Tier): number => Math.floor(SUBSCRIPTION_PENCE[tier] / 2);

export const expiryOf = (requestedAt: Date): Date => new Date(requestedAt.getTime() + EXPIRES_AFTER_DAYS * DAY_MS);

/** What a conversion of so many credits comes to. */
export interface ConversionPlan {
  /** The whole hundreds of what was asked for. */
  credits: number;
  /** What is too little for another hundred, and stays with the agent. */
  remainderCredits: number;
  pence: number;
  capPence: number;
  /** What may still be converted this month, before this. */
  remainingPence: number;
  /** Why it cannot be, if it cannot. Whether there are enough credits is asked last. */
  refusal: 'NoSubscription' | 'ConversionCapReached' | null;
}

/** @param usedPence what conversions of the month, pending or applied, come to already */
export function planConversion(tier: Tier, asked: number, usedPence: number): ConversionPlan {
  const remainderCredits = asked % CREDITS_A_POUND;
  const credits = asked - remainderCredits;
  const pence = (credits / CREDITS_A_POUND) * PENCE_A_POUND;
  const capPence = capOf(tier);
  const remainingPence = Math.max(0, capPence - usedPence);
  const overCap = pence > remainingPence ? 'ConversionCapReached' : null;
  const refusal = SUBSCRIPTION_PENCE[tier] === 0 ? 'NoSubscription' : overCap;
  return { credits, remainderCredits, pence, capPence, remainingPence, refusal };
}

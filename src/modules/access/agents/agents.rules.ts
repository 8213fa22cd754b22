import type { Tier } from '../../../common/contract/caller.js';
import { QuotaExhausted } from './agents.problems.js';
import { AGENT_TIERS, SPONSOR_TIERS, type AgentStanding, type SponsorTier } from './agents.types.js';

/** What one query of an agent without a sponsor costs (D17). */
const QUERY_CREDITS = 5;

const DAY_SECONDS = 86_400;

/** Until the day's queries are renewed, rounded up. */
export const secondsToUtcMidnight = (now: Date): number =>
  DAY_SECONDS - (Math.floor(now.getTime() / 1000) % DAY_SECONDS);

type Left = Pick<AgentStanding, 'creditsRemaining' | 'dailyQueryRemaining' | 'upgradeUrl'>;

/**
 * The refusal of a further query, or undefined where what is left allows one. Waiting helps only where the credits
 * would do.
 */
export function refusalOf(
  { creditsRemaining, dailyQueryRemaining, upgradeUrl }: Left,
  now: Date,
): QuotaExhausted | undefined {
  const hasCredits = creditsRemaining >= QUERY_CREDITS;
  if (hasCredits && dailyQueryRemaining > 0) return undefined;
  const facts = { creditBalance: creditsRemaining, dailyRemaining: dailyQueryRemaining, upgradeUrl };
  if (!hasCredits) {
    const detail = `A query costs ${QUERY_CREDITS} credits and ${creditsRemaining} are left of a budget that is not renewed. Ask a tenant to sponsor this agent`;
    return new QuotaExhausted(facts, detail);
  }
  const retryAfterSec = secondsToUtcMidnight(now);
  const detail = `The queries of this UTC day are used up; the next begins in ${retryAfterSec} seconds. Ask a tenant to sponsor this agent`;
  return new QuotaExhausted({ ...facts, retryAfterSec }, detail);
}

/** By what an agent acts: the lower of its tenant's tier and the one it is sponsored at. The database decides alike. */
export const lowerTier = (one: Tier, other: Tier): Tier =>
  AGENT_TIERS[Math.min(AGENT_TIERS.indexOf(one), AGENT_TIERS.indexOf(other))]!;

/** At which tier a tenant of this one sponsors; the free tier, which nobody sponsors at, counts as the lowest. */
export function grantedTier(asked: SponsorTier, tenantTier: Tier): SponsorTier {
  const tier = lowerTier(asked, tenantTier);
  return tier === 'free' ? SPONSOR_TIERS[0] : tier;
}

/** At which tiers the agents are sponsored that act by this one, in a tenant of that tier. */
export const sponsoredAt = (actsBy: Tier, tenantTier: Tier): SponsorTier[] =>
  SPONSOR_TIERS.filter((tier) => lowerTier(tier, tenantTier) === actsBy);

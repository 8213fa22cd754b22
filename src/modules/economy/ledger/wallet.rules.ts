import type { Tier } from '../../../common/contract/caller.js';
import type { Spender, Wallet } from './economy.types.js';

/** Credits a tenant is granted each UTC month, shared by its agents. */
const MONTHLY_ALLOWANCE: Record<Tier, number> = { free: 500, starter: 5_000, pro: 20_000, team: 60_000 };

/**
 * Whose credits a caller reaches: an agent without a sponsor its own alone, whatever agent it names; everyone else
 * those of the tenant.
 */
export interface Purse {
  agentId: string;
  /** Granted to the tenant each month; null where the agent has nothing but its own. */
  allowance: number | null;
}

export function purseOf(caller: Pick<Spender, 'tier' | 'principal' | 'role'>, agentId: string): Purse {
  if (caller.role === 'discovery') return { agentId: caller.principal.replace(/^agent:/, ''), allowance: null };
  return { agentId, allowance: MONTHLY_ALLOWANCE[caller.tier] };
}

/** bigint of the database as a number; beyond 2^53 it would not be exact, and nothing here comes near. */
export function creditsOf(value: string | null | undefined): number {
  const credits = Number(value ?? 0);
  if (!Number.isSafeInteger(credits)) throw new Error(`${value} credits are more than can be counted exactly`);
  return credits;
}

export const walletOf = (own: string, allowance: string, earnings: string): Wallet => {
  const parts = { own: creditsOf(own), allowance: creditsOf(allowance), earnings: creditsOf(earnings) };
  return { balance: parts.own + parts.allowance + parts.earnings, ...parts };
};

/** The first moment of the month after `YYYY-MM`. */
export function nextMonth(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number)).toISOString();
}

/** How a tenant says what it sponsors an agent at (tenant-api.md 2.5). */
export const SPONSOR_TIERS = ['starter', 'pro', 'team'] as const;
export type SponsorTier = (typeof SPONSOR_TIERS)[number];
/** By which tiers a sponsored agent may act: a tenant gives no more than it has. Lowest first. */
export const AGENT_TIERS = ['free', ...SPONSOR_TIERS] as const;

export const REGISTRATION_TYPES = ['self_signup', 'sponsored'] as const;
export type RegistrationType = (typeof REGISTRATION_TYPES)[number];

export const SPONSORED_STATES = ['active', 'expired', 'released'] as const;
export type SponsoredState = (typeof SPONSORED_STATES)[number];

/** What an agent may still do on its own, and where it goes from there: what every answer to it says. */
export interface AgentStanding {
  agentId: string;
  sponsorTenantId: string | null;
  sponsoredAt: Date | null;
  creditsRemaining: number;
  dailyQueryLimit: number;
  dailyQueryRemaining: number;
  upgradeUrl: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the agent that this request registered. */
    registeredAgent?: AgentStanding;
  }
}

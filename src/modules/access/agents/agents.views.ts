import type { Tier } from '../../../common/contract/caller.js';
import { DISCOVERY_TENANT } from '../../../common/tenancy/discovery-tenant.js';
import type { AgentRow } from './agent.entity.js';
import type { AgentSponsorRequestSummary, SponsoredAgent } from './agents.dto.js';
import { lowerTier } from './agents.rules.js';
import type { AgentStanding } from './agents.types.js';

/** What registration and sponsor request say alike. */
export const allowanceOf = (
  standing: AgentStanding,
): Omit<AgentSponsorRequestSummary, 'sponsorTenantId' | 'sponsoredAt'> => ({
  registrationType: standing.sponsorTenantId === null ? 'self_signup' : 'sponsored',
  agentPrincipalId: standing.agentId,
  discoveryTenantId: DISCOVERY_TENANT,
  creditsRemaining: standing.creditsRemaining,
  dailyQueryLimit: standing.dailyQueryLimit,
  dailyQueryRemaining: standing.dailyQueryRemaining,
  sponsorRequired: standing.sponsorTenantId === null,
  upgradeUrl: standing.upgradeUrl,
});

/** The four headers of every answer to an agent that registered itself (tenant-api.md 5.9). */
export const headersOf = (standing: AgentStanding): Record<string, string> => ({
  'x-svc-credits-remaining': String(standing.creditsRemaining),
  'x-svc-rate-limit-daily-remaining': String(standing.dailyQueryRemaining),
  'x-svc-sponsor-required': String(standing.sponsorTenantId === null),
  'x-svc-upgrade-url': standing.upgradeUrl,
});

/** An agent that has or had a sponsor, whose tier is given. */
export const sponsoredAgentOf = (row: AgentRow, tenantTier: Tier): SponsoredAgent => ({
  agentPrincipalId: row.agentId,
  status: row.status,
  tier: lowerTier(row.sponsorTier!, tenantTier),
  agentFramework: row.framework,
  agentDisplayName: row.displayName,
  callbackUrl: row.callbackUrl,
  frameworkFingerprint: row.fingerprint,
  registeredAt: row.registeredAt.toISOString(),
  sponsoredAt: row.sponsoredAt!.toISOString(),
  sponsoredBy: row.sponsoredBy!,
  expiresAt: row.expiresAt.toISOString(),
  releasedAt: row.endedAt?.toISOString() ?? null,
  releasedBy: row.endedBy,
  releaseReason: row.endReason,
});

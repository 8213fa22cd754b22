import { DISCOVERY_TENANT } from '../../../common/tenancy/discovery-tenant.js';
import type { AgentSponsorRequestSummary, SponsoredAgent } from './agents.dto.js';
import type { SponsoredRow } from './agents.store.js';
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

export const sponsoredAgentOf = (row: SponsoredRow): SponsoredAgent => ({
  agentPrincipalId: row.agent_id,
  status: row.status,
  tier: row.sponsor_tier,
  agentFramework: row.framework,
  agentDisplayName: row.display_name,
  callbackUrl: row.callback_url,
  frameworkFingerprint: row.fingerprint,
  registeredAt: row.registered_at.toISOString(),
  sponsoredAt: row.sponsored_at.toISOString(),
  sponsoredBy: row.sponsored_by,
  expiresAt: row.expires_at.toISOString(),
  releasedAt: row.ended_at?.toISOString() ?? null,
  releasedBy: row.ended_by,
  releaseReason: row.end_reason,
});

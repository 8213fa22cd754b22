import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { AgentCheck } from '../../../common/keys/agent-check.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type {
  AgentPath,
  AgentSponsorClaimRequest,
  AgentSponsorClaimResponse,
  SponsoredAgent,
  SponsoredAgentList,
  SponsoredAgentQuery,
} from './agents.dto.js';
import { AgentAlreadySponsored, AgentEnded, AgentUnknown } from './agents.problems.js';
import { grantedTier, lowerTier, sponsoredAt } from './agents.rules.js';
import { AgentsStore, type ClaimRow } from './agents.store.js';
import { sponsoredAgentOf } from './agents.views.js';

/**
 * Lets tenants sponsor agents and release them. A sponsorship is the tenant's, not that of the seat or key that decided
 * on it.
 */
@Injectable()
export class SponsorshipService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: AgentsStore,
    private readonly agents: AgentCheck,
    private readonly audit: AuditTrail,
  ) {}

  /** In the open unit of work of the sponsor. @throws AgentUnknown, AgentAlreadySponsored, AgentEnded */
  async sponsor(
    caller: TenantCaller,
    { agentPrincipalId }: AgentPath,
    { tier }: AgentSponsorClaimRequest,
  ): Promise<AgentSponsorClaimResponse> {
    const claim = await this.store.claim(agentPrincipalId, tier, caller.principal);
    const answer = answerOf(agentPrincipalId, caller, claim);
    if (!claim?.claimed) return answer;
    await this.publish(caller, 'agent.sponsored', agentPrincipalId, {
      tier: answer.effectiveTier,
      requestedTier: tier,
    });
    return answer;
  }

  listSponsored(caller: TenantCaller, query: SponsoredAgentQuery): Promise<SponsoredAgentList> {
    const { limit, cursor, status, tier, agentFramework: framework } = query;
    const sponsorTiers = tier && sponsoredAt(tier, caller.tier);
    const after = decodeCursor(cursor, ['integer', 'uuid']);
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.listSponsored({ status, sponsorTiers, framework }, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, ({ sponsoredUs, agentId }) => [sponsoredUs!, agentId]);
      return { agents: page.map((row) => sponsoredAgentOf(row, caller.tier)), next_cursor };
    });
  }

  /**
   * Ends an agent for good, in the open unit of work of its sponsor; one that was released before stays as it is.
   * @throws AgentUnknown
   */
  async release(caller: TenantCaller, agentId: string, reason: string | undefined): Promise<SponsoredAgent> {
    const isEnded = await this.store.release(agentId, caller.principal, reason);
    const agent = await this.store.findSponsored(agentId);
    if (!agent) throw unknown(agentId);
    if (isEnded) await this.publish(caller, 'agent.released', agentId, { reason: reason ?? null });
    return sponsoredAgentOf(agent, caller.tier);
  }

  private async publish(caller: TenantCaller, kind: string, agentId: string, facts: object): Promise<void> {
    this.tenancy.afterCommit(() => this.agents.invalidate(agentId));
    await this.audit.record(caller, {
      kind,
      subject: agentId,
      facts,
      event: { agentPrincipalId: agentId },
      receipt: { agent_id: agentId },
    });
  }
}

const unknown = (agentPrincipalId: string): AgentUnknown =>
  new AgentUnknown({ agentPrincipalId }, 'Ask the agent for its agentPrincipalId; it received it at its registration');

function answerOf(
  agentId: string,
  { tenantId, tier }: TenantCaller,
  claim: ClaimRow | undefined,
): AgentSponsorClaimResponse {
  if (!claim) throw unknown(agentId);
  const facts = { agentPrincipalId: agentId };
  // Whoever sponsored it: nobody can any more.
  if (claim.is_over || !claim.sponsor_tier || !claim.sponsored_at)
    throw new AgentEnded(facts, 'Its bearer has expired or was revoked; let the agent register again');
  if (claim.sponsor_tenant_id !== tenantId)
    throw new AgentAlreadySponsored(facts, 'An agent has one sponsor; let it register again for another');
  return {
    accepted: true,
    agentPrincipalId: agentId,
    sponsorTenantId: tenantId,
    tier: grantedTier(claim.sponsor_tier, tier),
    effectiveTier: lowerTier(claim.sponsor_tier, tier),
    registrationType: 'sponsored',
    sponsoredAt: claim.sponsored_at.toISOString(),
  };
}

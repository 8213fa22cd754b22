import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { UpgradeAddress } from '../../../common/http/upgrade-address.js';
import { AgentUnknown } from './agents.problems.js';
import { AgentsStore, type StandingRow } from './agents.store.js';
import type { AgentSponsorRequestSummary } from './agents.dto.js';
import type { AgentStanding } from './agents.types.js';
import { allowanceOf } from './agents.views.js';

/** The agent behind a caller. */
export const agentIdOf = ({ principal }: TenantCaller): string => principal.replace(/^agent:/, '');

/** What an agent has left: of its own row and the ledger, whichever tenant it acts in. */
@Injectable()
export class StandingService {
  constructor(
    private readonly store: AgentsStore,
    private readonly upgradeAddress: UpgradeAddress,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param tokenHash asks also that this is the agent's bearer
   * @returns undefined when the agent may not act any more
   */
  async find(agentId: string, tokenHash?: Buffer): Promise<AgentStanding | undefined> {
    const row = await this.store.findStanding(agentId, tokenHash);
    return row && this.standingOf(agentId, row);
  }

  /** {@link find} as the open unit of work of the discovery tenant sees it. */
  async findWithin(agentId: string): Promise<AgentStanding | undefined> {
    const row = await this.store.findStandingWithin(agentId);
    return row && this.standingOf(agentId, row);
  }

  async readSummary(caller: TenantCaller): Promise<AgentSponsorRequestSummary> {
    const agentId = agentIdOf(caller);
    const standing = await this.find(agentId);
    if (!standing) throw new AgentUnknown({ agentPrincipalId: agentId }, 'This agent has just ended');
    return {
      ...allowanceOf(standing),
      sponsorTenantId: standing.sponsorTenantId,
      sponsoredAt: standing.sponsoredAt?.toISOString() ?? null,
    };
  }

  /** Of an agent that has just registered. */
  standingOfNew(agentId: string): AgentStanding {
    const credits = String(this.settings.agents.creditBudget);
    return this.standingOf(agentId, { sponsor_tenant_id: null, sponsored_at: null, credits, queries_today: 0 });
  }

  private standingOf(agentId: string, row: StandingRow): AgentStanding {
    const { dailyQueries } = this.settings.agents;
    return {
      agentId,
      sponsorTenantId: row.sponsor_tenant_id,
      sponsoredAt: row.sponsored_at,
      creditsRemaining: Number(row.credits),
      dailyQueryLimit: dailyQueries,
      // The limit may have been lowered since.
      dailyQueryRemaining: Math.max(0, dailyQueries - row.queries_today),
      upgradeUrl: this.upgradeAddress.url,
    };
  }
}

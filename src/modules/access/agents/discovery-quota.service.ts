import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { CreditsExhausted } from '../../economy/ledger/economy.problems.js';
import { refusalOf } from './agents.rules.js';
import { AgentsStore } from './agents.store.js';
import type { AgentStanding } from './agents.types.js';
import { agentIdOf, StandingService } from './standing.service.js';

/** Holds agents without a sponsor to their budget and their queries a day (D15). */
@Injectable()
export class DiscoveryQuotaService {
  constructor(
    private readonly store: AgentsStore,
    private readonly standings: StandingService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Spares the server the work of a query that would be refused in the end. @throws QuotaExhausted */
  async checkBefore(caller: TenantCaller): Promise<void> {
    const standing = await this.standings.find(agentIdOf(caller));
    const refusal = standing && refusalOf(standing, new Date());
    if (refusal) throw refusal;
  }

  /**
   * Counts a query and has it paid for, in the open unit of work of the discovery tenant: both stand when it commits,
   * or neither. The agent's row is held from here on, so that of parallel queries no more succeed than are left.
   * @throws QuotaExhausted
   */
  async use<T>(caller: TenantCaller, pay: () => Promise<T>): Promise<T> {
    const agentId = agentIdOf(caller);
    const count = await this.store.countQuery(agentId, this.settings.agents.dailyQueries);
    if (count === undefined) return this.refuse(await this.readWithin(agentId));
    try {
      return await pay();
    } catch (error) {
      if (!(error instanceof CreditsExhausted)) throw error;
      // This query was counted above, and is not any more once this is thrown.
      const standing = await this.readWithin(agentId);
      return this.refuse({ ...standing, dailyQueryRemaining: standing.dailyQueryRemaining + 1 });
    }
  }

  private async readWithin(agentId: string): Promise<AgentStanding> {
    const standing = await this.standings.findWithin(agentId);
    return standing ?? { ...this.standings.standingOfNew(agentId), creditsRemaining: 0, dailyQueryRemaining: 0 };
  }

  private refuse(standing: AgentStanding): never {
    throw refusalOf(standing, new Date()) ?? new Error('an agent was refused a query that it could pay for');
  }
}

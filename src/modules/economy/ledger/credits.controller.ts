import { Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seats, seatsOrDiscovery } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { CreditsService } from './credits.service.js';
import { DashboardQuery, EconomyDashboard } from './dashboard.dto.js';
import { DashboardService } from './dashboard.service.js';
import { AgentPath, CreditBalance, EscrowPage, EscrowQuery } from './credits.dto.js';

@Controller()
export class CreditsController {
  constructor(
    private readonly credits: CreditsService,
    private readonly dashboards: DashboardService,
  ) {}

  @Route('GET /v1/credits/:agentId', {
    tag: 'credits',
    summary: 'Get the credit balance of an agent',
    description:
      "balance is what this agent can spend now: its own credits, the tenant's allowance of the month, and what the tenant earned. The allowance (free 500, starter 5,000, pro 20,000, team 60,000 a UTC month) is granted by the first use or reading of the month. " +
      'An agent is any name: one that was never used has nothing of its own. An agent without a sponsor names its own agentPrincipalId; another one is refused with 403.',
    access: seatsOrDiscovery('owner', 'admin', 'member'),
    reply: ok(CreditBalance),
  })
  readBalance(@Caller() caller: TenantCaller, @Param() { agentId }: AgentPath): Promise<CreditBalance> {
    return this.credits.readBalance(caller, agentId);
  }

  @Route('GET /v1/credits/:agentId/escrow', {
    tag: 'credits',
    summary: 'List the credits held in escrow',
    description:
      'Credits that were converted stay here until the payment provider reports the discount applied (they are burned) or failed (they go back to where they came from), at most until expiresAt. With status=applied or failed: what became of the earlier ones.',
    access: seats('owner', 'admin', 'member'),
    reply: ok(EscrowPage),
  })
  listEscrow(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: AgentPath,
    @Query() query: EscrowQuery,
  ): Promise<EscrowPage> {
    return this.credits.listEscrow(caller, agentId, query);
  }

  @Route('GET /v1/economy/dashboard/:agentId', {
    tag: 'economy',
    summary: 'Get the economy dashboard of an agent',
    description:
      'Balance, spending by UTC day and reason, conversions towards the cap, discount, earnings and tips, added up from the ledger: exact, and never older than the request.',
    access: seats('owner', 'admin', 'member'),
    reply: ok(EconomyDashboard),
  })
  readDashboard(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: AgentPath,
    @Query() { days }: DashboardQuery,
  ): Promise<EconomyDashboard> {
    return this.dashboards.read(caller, agentId, days);
  }
}

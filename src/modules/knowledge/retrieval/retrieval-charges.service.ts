import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { DiscoveryQuotaService } from '../../access/agents/discovery-quota.service.js';
import { agentIdOf } from '../../access/agents/standing.service.js';
import { ChargesService } from '../../economy/ledger/charges.service.js';
import type { Charge } from '../../economy/ledger/economy.types.js';
import type { ShardSnapshot } from './index/index.types.js';
import type { RetrievalRequest } from './retrieval.dto.js';
import { type Cost, costOf, searchesCommons } from './retrieval.rules.js';

/**
 * What a retrieval costs, and the taking of it: credits, and of an agent without a sponsor one of its queries of the
 * day (D15, D17).
 */
@Injectable()
export class RetrievalChargesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly charges: ChargesService,
    private readonly quota: DiscoveryQuotaService,
  ) {}

  /**
   * The request as it is answered: an agent without a sponsor asks for itself, and the commons are all there is for it.
   * @throws QuotaExhausted
   */
  async admit(caller: TenantCaller, request: RetrievalRequest): Promise<RetrievalRequest> {
    if (caller.role !== 'discovery') return request;
    await this.quota.checkBefore(caller);
    return { ...request, agentId: agentIdOf(caller), includeCommons: true };
  }

  costOf({ tenantId, tier, role }: TenantCaller, shards: readonly ShardSnapshot[]): Cost {
    return costOf(tier, role === 'discovery' || searchesCommons(tenantId, shards));
  }

  /**
   * In the open unit of work, so that the charge stands exactly when what it is for does.
   * @throws CreditsExhausted, QuotaExhausted
   */
  async charge(caller: TenantCaller, charge: Charge): Promise<void> {
    const pay = () => this.charges.charge(caller, charge);
    await (caller.role === 'discovery' ? this.quota.use(caller, pay) : pay());
  }

  /** {@link charge} where no unit of work is open: in one round trip, unless a query has to be counted too. */
  async chargeAtOnce(caller: TenantCaller, charge: Charge): Promise<void> {
    if (caller.role === 'discovery') await this.tenancy.run(caller.tenantId, () => this.charge(caller, charge));
    else await this.charges.chargeAtOnce(caller, charge);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { readTier } from '../../../common/keys/tenant-rows.js';
import { TenantMismatch } from '../../../common/problem/daemon-problems.js';
import { DISCOVERY_TENANT } from '../../../common/tenancy/discovery-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ChargesService } from '../../economy/ledger/charges.service.js';
import type { Charge, Spender, Spent } from '../../economy/ledger/economy.types.js';
import type { BurnedCredits } from './credit-meter.types.js';

/** What came of metered work. */
interface Metered<T> {
  done: T;
  /** Absent while SVCD_CREDIT_METER is off: then nothing is charged, and the answer says nothing of credits. */
  credits?: BurnedCredits;
}

/** What is given back, and in whose name. */
type Refund = Pick<Charge, 'reason' | 'reference'> & { principal: string };

/** Charges credits for what the daemon does at the operator's cost, in the ledger of the tenant API. */
@Injectable()
export class CreditMeter {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly charges: ChargesService,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** In the open unit of work. @throws CreditsExhausted */
  async take(caller: DaemonCaller, charge: Charge): Promise<Spent> {
    return this.charges.take(await this.spenderOf(caller), charge);
  }

  /**
   * Charges the acting passport, else the principal, before the work, and gives the credits back when it fails. What a
   * process that dies had charged stays charged.
   * @throws CreditsExhausted before anything is done
   */
  async run<T>(
    caller: DaemonCaller,
    charge: Pick<Charge, 'credits' | 'reason'>,
    work: () => Promise<T>,
  ): Promise<Metered<T>> {
    if (!this.settings.flags.creditMeter) return { done: await work() };
    const agentId = caller.passport ?? caller.principal;
    const reference = uuid();
    const { tenantId, transferId, wallet } = await this.tenants.write(caller, undefined, async () => ({
      ...(await this.take(caller, { ...charge, agentId, reference })),
      tenantId: this.tenancy.tenant,
    }));
    try {
      const credits = { spent: charge.credits, balance_after: wallet.balance, transfer_id: transferId };
      return { done: await work(), credits };
    } catch (error) {
      await this.giveBack(tenantId, { ...charge, reference, principal: caller.principal });
      throw error;
    }
  }

  /** Also to a caller that may write nothing any more: its passport was revoked meanwhile, or its lease has ended. */
  private async giveBack(tenantId: string, { reason, reference, principal }: Refund): Promise<void> {
    try {
      await this.tenancy.run(tenantId, () => this.charges.refund(reason, reference, principal));
    } catch (error) {
      // The failure of the work is what the caller must see.
      this.log.error({ error, tenant: tenantId, reason, reference }, 'credits of work that failed were not given back');
    }
  }

  /**
   * Everybody in a tenant reaches its credits, as a member of it does.
   * @throws TenantMismatch for the tenant of agents without a sponsor, who have nothing but their own
   */
  private async spenderOf({ principal }: DaemonCaller): Promise<Spender> {
    const { tenant: tenantId } = this.tenancy;
    if (tenantId === DISCOVERY_TENANT)
      throw new TenantMismatch(
        { tenant_id: tenantId },
        'Agents without a sponsor spend their own credits, at the tenant API',
      );
    const tier = await readTier((sql, parameters) => this.tenancy.query(sql, parameters), tenantId);
    return { tenantId, tier, principal, role: 'member' };
  }
}

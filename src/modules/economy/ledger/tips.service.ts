import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { ShieldPipeline } from '../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Tip, TipRequest } from './economy.dto.js';
import { LedgerService } from './ledger.service.js';

/** Credits given to the platform. */
@Injectable()
export class TipsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly ledger: LedgerService,
    private readonly shield: ShieldPipeline,
    private readonly outbox: Outbox,
  ) {}

  give(caller: TenantCaller, { agentId, credits, message }: TipRequest): Promise<Tip> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.shield.admitSpending(credits);
      const { transferId: tipId, wallet } = await this.ledger.spend(caller, {
        agentId,
        credits,
        reason: 'tip',
        reference: uuid(),
        target: 'platform',
        note: message,
      });
      const data = { tipId, agentId, credits, actor: caller.principal };
      await this.outbox.emit({ kind: 'platform.tipped', subject: tipId, data });
      const createdAt = new Date().toISOString();
      return { tipId, agentId, credits, message: message ?? null, balanceAfter: wallet.balance, createdAt };
    });
  }
}

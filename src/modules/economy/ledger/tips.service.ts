import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { Counter } from 'prom-client';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { ShieldPipeline } from '../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Tip, TipRequest } from './economy.dto.js';
import { LedgerService } from './ledger.service.js';

/** Credits given to the platform. */
@Injectable()
export class TipsService {
  private readonly tips: Counter;
  private readonly credits: Counter;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly ledger: LedgerService,
    private readonly shield: ShieldPipeline,
    private readonly outbox: Outbox,
    metrics: Metrics,
  ) {
    this.tips = metrics.counter('svc_tips_total', 'Tips that this process took; `svc feedback list` has their words.');
    this.credits = metrics.counter('svc_tip_credits_total', 'Credits of them.');
  }

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
      const data = { tipId, agentId, credits, message: message ?? null, actor: caller.principal };
      this.outbox.emit({ kind: 'platform.tipped', subject: tipId, data });
      this.tenancy.afterCommit(() => this.count(credits));
      const createdAt = new Date().toISOString();
      return { tipId, agentId, credits, message: message ?? null, balanceAfter: wallet.balance, createdAt };
    });
  }

  private count(credits: number): void {
    this.tips.inc();
    this.credits.inc(credits);
  }
}

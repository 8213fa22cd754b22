import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HoldRefusals } from '../../../common/legal-holds/hold-refusals.service.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

const EVERY_MS = 10_000;

/** Makes the receipts of deletions that holds refused to others than the product: the triggers can sign nothing. */
@Injectable()
export class RefusedDeletionsSweep implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly refusals: HoldRefusals,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.every('refused deletions', EVERY_MS, () => this.sweep());
  }

  /** Some of each tenant: many of one do not keep another's waiting. */
  async sweep(): Promise<void> {
    await this.refusals.noteTruncation();
    const due = await this.crossTenant.run('refused deletions', (query) =>
      query<{ tenant_id: string }>('select distinct tenant_id from hold_refusal where receipt_id is null'),
    );
    await eachInTurn(due, ({ tenant_id: tenantId }) => this.refusals.receiptDue(tenantId));
  }
}

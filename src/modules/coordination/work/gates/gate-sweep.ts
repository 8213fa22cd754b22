import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { eachInTurn } from '../../../../common/scheduler/each-in-turn.js';
import { DueWork, FALLBACK_MS } from '../../../../common/scheduler/due-work.js';
import { Scheduler } from '../../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { GatesService } from './gates.service.js';
import { GatesStore } from './gates.store.js';
import { isOverGate } from './open-gates.views.js';

const EVERY_MS = 5_000;
const BATCH = 50;
const REASON = 'gate sweep';
const GATE_SWEEP = { principal: 'svc:gate-sweep', authType: 'system' } as const;

/**
 * Records that gates have lapsed, with receipt and event. For who reads or decides they have lapsed already: when their
 * time was over, or with the change of their item.
 */
@Injectable()
export class GateSweep implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly dueWork: DueWork,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly store: GatesStore,
    private readonly gates: GatesService,
  ) {}

  onApplicationBootstrap(): void {
    const work = this.scheduler.every(REASON, FALLBACK_MS, () => this.sweep());
    this.dueWork.when(
      () => `exists (select ${OVER})`,
      () => work.wake(),
      { everyMs: EVERY_MS },
    );
  }

  async sweep(): Promise<void> {
    await eachInTurn(await this.listTenants(), (tenant) => this.tenancy.run(tenant, () => this.lapseSome()));
  }

  /** @returns whether there may be more */
  private async lapseSome(): Promise<boolean> {
    const over = await this.store.lockOver(BATCH);
    for (const gate of over) await this.gates.lapse(GATE_SWEEP, gate);
    return over.length === BATCH;
  }

  private async listTenants(): Promise<string[]> {
    const rows = await this.crossTenant.run(REASON, (query) =>
      query<{ tenant_id: string }>(`select distinct g.tenant_id ${OVER}`),
    );
    return rows.map(({ tenant_id }) => tenant_id);
  }
}

const OVER = `from work_gate g where ${isOverGate('g')}`;

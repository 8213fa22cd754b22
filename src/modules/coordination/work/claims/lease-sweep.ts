import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { eachInTurn } from '../../../../common/scheduler/each-in-turn.js';
import { DueWork, FALLBACK_MS } from '../../../../common/scheduler/due-work.js';
import { Scheduler } from '../../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { LeasesService } from '../../leases/leases.service.js';
import { ClaimsStore } from './claims.store.js';
import { WorkLeasesService } from './work-leases.service.js';

/** Leases of one transaction. */
const BATCH = 100;

/**
 * Records what is over, at most a second late: receipts, events, items that are ready again. Nothing rests on it. Every
 * daemon looks; a lease is ended by whoever locks it first, and what somebody else has locked is left for the next
 * time.
 */
@Injectable()
export class LeaseSweep implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly dueWork: DueWork,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly leases: LeasesService,
    private readonly workLeases: WorkLeasesService,
    private readonly store: ClaimsStore,
  ) {}

  onApplicationBootstrap(): void {
    const work = this.scheduler.every('lease sweep', FALLBACK_MS, () => this.sweep());
    this.dueWork.when(
      () => `exists (select ${OVER})`,
      () => work.wake(),
    );
  }

  async sweep(): Promise<void> {
    const due = await this.crossTenant.run('lease sweep', (query) => query<Due>(DUE));
    await eachInTurn(due, ({ tenant_id: tenant, kind }) => this.tenancy.run(tenant, () => this.endSome(kind)));
  }

  /** @returns whether there may be more */
  private async endSome(kind: Due['kind']): Promise<boolean> {
    if (kind === 'work') return (await this.workLeases.expire(await this.store.lockDue(BATCH))).length === BATCH;
    await this.leases.lockPaths();
    return (await this.leases.sweep({ kind }, BATCH)).length === BATCH;
  }
}

interface Due {
  tenant_id: string;
  kind: 'work' | 'path';
}

/** Where a tenant is being erased nothing is written any more. */
const OVER = `
  from lease l where l.status = 'held' and l.expires_at <= clock_timestamp()
    and not exists (select from tenant t where t.tenant_id = l.tenant_id and t.state = 'deleted')`;

const DUE = `select distinct l.tenant_id, l.kind ${OVER} order by 1, 2`;

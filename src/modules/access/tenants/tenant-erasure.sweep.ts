import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { Scheduler, type ScheduledWork } from '../../../common/scheduler/scheduler.js';
import { KeptTenants } from './kept-tenants.service.js';
import { TenantErasureService } from './tenant-erasure.service.js';
import type { Erased } from './tenants.types.js';

const HOUR_MS = 3_600_000;

/** Erases what is due, at the start and every hour. Every process of the API looks; one at a time erases. */
@Injectable()
export class TenantErasureSweep implements OnApplicationBootstrap {
  private work?: ScheduledWork;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly erasure: TenantErasureService,
    private readonly kept: KeptTenants,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.work = this.scheduler.every('tenant erasure', HOUR_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    await this.kept.keepAll();
    await eachInTurn(await this.erasure.listDue(), async (tenant) => {
      const erased = await this.eraseUnlessHeld(tenant);
      if (erased && erased.rows > 0)
        this.log.info(
          { tenant, rows: erased.rows, complete: erased.isComplete },
          'rows of a deleted tenant were erased',
        );
    });
  }

  /** A tenant that legal holds keep stays whole; the others are erased. */
  private async eraseUnlessHeld(tenant: string): Promise<Erased | undefined> {
    try {
      return await this.erasure.erase(tenant, () => this.work?.isStopped ?? false);
    } catch (error) {
      if (!(error instanceof LegalHold)) throw error;
      this.log.warn({ tenant, ...error.facts }, 'a deleted tenant is not erased: legal holds keep it');
      return undefined;
    }
  }
}

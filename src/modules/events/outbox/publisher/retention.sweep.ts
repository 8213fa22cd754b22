import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Scheduler } from '../../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { sweepDeliveries } from '../webhooks/due-deliveries.store.js';
import { CursorsStore } from './cursors.store.js';
import { EventSinksService } from './event-sinks.service.js';

const HOUR_MS = 3_600_000;
const BATCH = 5_000;

/**
 * Removes events and finished deliveries when their time is over. Every working process does it: deleting twice is
 * harmless.
 */
@Injectable()
export class RetentionSweep implements OnApplicationBootstrap {
  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly sinks: EventSinksService,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.settings.jobs.enabled) return;
    this.scheduler.every('event sweep', HOUR_MS, () => this.sweep());
  }

  /** In batches, so that no transaction holds many rows. @returns how many events were removed */
  async sweep(): Promise<number> {
    const names = this.sinks.all.map(({ name }) => name);
    const days = this.settings.outbox.retentionDays;
    const events = await this.inBatches((query) => new CursorsStore(query).sweep(names, days, BATCH));
    await this.inBatches((query) => sweepDeliveries(query, days, BATCH));
    return events;
  }

  private async inBatches(remove: (query: Parameters<Parameters<CrossTenant['run']>[1]>[0]) => Promise<number>) {
    let removed = 0;
    for (;;) {
      const count = await this.crossTenant.run('event sweep', remove);
      removed += count;
      if (count < BATCH) return removed;
    }
  }
}

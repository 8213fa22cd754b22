import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { sweepDeliveries } from '../webhooks/due-deliveries.store.js';
import { CursorsStore } from './cursors.store.js';
import { EventSinksService } from './event-sinks.service.js';

const HOUR_MS = 3_600_000;
const BATCH = 5_000;

/** Removes events and finished deliveries when their time is over. Every working process does it: deleting twice is harmless. */
@Injectable()
export class RetentionSweep implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly sinks: EventSinksService,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.settings.jobs.enabled) return;
    const run = () =>
      void this.sweep().catch((error: unknown) => this.log.warn({ error }, 'old events were not removed'));
    this.timer = setInterval(run, HOUR_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
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

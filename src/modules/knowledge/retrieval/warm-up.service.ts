import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LOG, type Log } from '../../../common/observability/log.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { RecordsStore } from './records.store.js';
import { SearchService } from './search.service.js';

/** Small tenants have little to load. */
const TENANTS = 32;
const MAX_WAIT_MS = 5_000;

/**
 * Repeats a query of each of the largest tenants when the process starts, so that the first one after a restart finds
 * the headers of the index in memory. Requests are taken once that is done, or after a while; then it goes on next to
 * them.
 */
@Injectable()
export class WarmUpService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private isEnding = false;
  private warming = Promise.resolve();

  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly records: RecordsStore,
    private readonly searches: SearchService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.warming = this.warmUp().catch((error: unknown) =>
      this.log.warn({ error }, 'the index was not brought into memory'),
    );
    await Promise.race([this.warming, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    await this.warming;
  }

  private async warmUp(): Promise<void> {
    const asked = await this.crossTenant.run('warm-up', (query) => this.records.findOfLargest(query, TENANTS));
    for (const { tenantId, request } of asked) {
      if (this.isEnding) return;
      // What a search of the tenant cannot read, the next one reports.
      await this.searches.prepare(tenantId, request).catch((error: unknown) => this.log.debug({ error }, 'no warm-up'));
    }
  }
}

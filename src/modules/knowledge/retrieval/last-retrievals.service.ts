import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { LOG, type Log } from '../../../common/observability/log.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { RecordsStore, type TenantRetrieval } from './records.store.js';

/** How long a light retrieval may wait to be written down. */
const WRITE_EVERY_MS = 100;

/**
 * Stores the last retrieval of every agent without making light retrievals wait: they are collected, only the last of
 * an agent is kept, and all are written in one statement. A process that is killed loses at most the last tenth of a
 * second of them.
 */
@Injectable()
export class LastRetrievalsService implements BeforeApplicationShutdown {
  private pending = new Map<string, TenantRetrieval>();
  /** Runs outside any unit of work that happens to be open where a write is started. */
  private readonly outside = AsyncLocalStorage.snapshot();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly store: RecordsStore,
    @Inject(LOG) private readonly log: Log,
  ) {}

  remember(retrieval: TenantRetrieval): void {
    this.pending.set(JSON.stringify([retrieval.tenantId, retrieval.agentId]), retrieval);
    this.schedule();
  }

  /** Everything remembered so far is written when this resolves. */
  async flush(): Promise<void> {
    this.writing = this.writing.then(() => this.outside(() => this.write()));
    await this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.flush();
  }

  /** One write at a time: while the database is slow, what comes in replaces what waits. */
  private schedule(): void {
    this.timer ??= setTimeout(() => {
      void this.flush().finally(() => {
        this.timer = undefined;
        if (this.pending.size > 0) this.schedule();
      });
    }, WRITE_EVERY_MS).unref();
  }

  private async write(): Promise<void> {
    const retrievals = [...this.pending.values()];
    this.pending = new Map();
    if (retrievals.length === 0) return;
    await this.crossTenant
      .run('last retrievals', (query) => this.store.rememberAll(query, retrievals))
      .catch((error: unknown) => this.log.warn({ error }, 'the last retrievals of some agents were not remembered'));
  }
}

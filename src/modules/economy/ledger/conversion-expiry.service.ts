import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { type ScheduledWork, Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { AllConversions, type PendingConversions, type Position, positionOf } from './all-conversions.store.js';
import { SettlementService } from './settlement.service.js';

/** How late a release may be, while a process works on jobs: docs/economy.md says so. */
const EVERY_MS = 600_000;
const BATCH = 100;
const EXPIRED = {
  state: 'failed',
  reason: 'expired',
  by: { principal: 'svc:conversion-expiry', authType: 'system' },
} as const;

/**
 * Releases the credits of conversions that nobody settled in time (D87), and measures those that wait. Every working
 * process does it: a conversion is settled once.
 */
@Injectable()
export class ConversionExpiryService implements OnModuleInit, OnApplicationBootstrap {
  private work: ScheduledWork | undefined;

  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly settlements: SettlementService,
    private readonly scheduler: Scheduler,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const measure = (name: string, help: string, valueOf: (waiting: PendingConversions) => number) =>
      this.metrics.gauge(`svc_conversions_${name}`, help, [], async (gauge) => {
        const waiting = await this.crossTenant
          .run('conversion metrics', (query) => new AllConversions(query).readPending())
          .catch(() => undefined);
        if (waiting) gauge.set(valueOf(waiting));
      });
    measure('pending', 'Conversions of all tenants that are not settled.', ({ pending }) => pending);
    measure(
      'oldest_pending_seconds',
      'Age of the oldest of them; 0 where there is none.',
      ({ oldest_seconds }) => oldest_seconds,
    );
  }

  onApplicationBootstrap(): void {
    if (!this.settings.jobs.enabled) return;
    this.work = this.scheduler.every('conversion expiry', EVERY_MS, () => this.sweep());
  }

  /**
   * One that cannot be released does not keep the others: its error is thrown when all were tried.
   * @returns how many were released
   */
  async sweep(): Promise<number> {
    let released = 0;
    await eachInTurn(this.expired(), async ([tenantId, conversionId]) => {
      const settled = await this.settlements.settle(tenantId, conversionId, EXPIRED);
      released += settled?.receiptId === undefined ? 0 : 1;
    });
    return released;
  }

  private async *expired(): AsyncGenerator<[tenantId: string, conversionId: string]> {
    let after: Position | undefined;
    for (;;) {
      const from = after;
      const page = await this.crossTenant.run('conversion expiry', (query) =>
        new AllConversions(query).findExpired(from, BATCH),
      );
      for (const { tenant_id, conversion_id } of page) {
        if (this.work?.isStopped) return;
        yield [tenant_id, conversion_id];
      }
      if (page.length < BATCH) return;
      after = positionOf(page.at(-1)!);
    }
  }
}

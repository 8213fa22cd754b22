import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Log } from '../observability/log.js';
import type { CrossTenant } from '../tenancy/cross-tenant.js';

const HOUR_MS = 3_600_000;
const BATCH = 5_000;

/** What a sweep removes: rows of one table that meet a condition. Both are constants of the code. */
export interface SweptRows {
  /** What for, as the metric label of cross-tenant work and in the log: `session sweep`. */
  reason: string;
  table: string;
  where: string;
}

/** Removes rows whose time is over, at the start and every hour. Every process does it: deleting twice is harmless. */
export abstract class HourlySweep implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly log: Log,
    private readonly rows: SweptRows,
  ) {}

  onApplicationBootstrap(): void {
    const run = () =>
      void this.sweep().catch((error: unknown) =>
        this.log.warn({ error, sweep: this.rows.reason }, 'old rows were not removed'),
      );
    run();
    this.timer = setInterval(run, HOUR_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** In batches, so that no transaction holds many rows. @returns how many were removed */
  async sweep(): Promise<number> {
    const { reason, table, where } = this.rows;
    let removed = 0;
    for (;;) {
      const rows = await this.crossTenant.run(reason, (query) =>
        query(
          `delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit $1)) returning 1`,
          [BATCH],
        ),
      );
      removed += rows.length;
      if (rows.length < BATCH) return removed;
    }
  }
}

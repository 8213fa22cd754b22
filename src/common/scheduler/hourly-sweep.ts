import type { OnApplicationBootstrap } from '@nestjs/common';
import type { CrossTenant } from '../tenancy/cross-tenant.js';
import type { Scheduler } from './scheduler.js';

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
export abstract class HourlySweep implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly rows: SweptRows,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.every(this.rows.reason, HOUR_MS, () => this.sweep());
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

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../../common/observability/metrics.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { SegmentCheck } from '../../memory/local-ingest/segment-check.service.js';
import { CorruptionStore } from './corruption.store.js';

const EVERY_MS = 5_000;

/** Looks for damage all the time, a little at a time, and keeps what it finds until the operator clears it. */
@Injectable()
export class CorruptionWatch implements OnApplicationBootstrap {
  private readonly corrupt: Counter;

  constructor(
    private readonly segments: SegmentCheck,
    private readonly store: CorruptionStore,
    private readonly scheduler: Scheduler,
    metrics: Metrics,
  ) {
    this.corrupt = metrics.counter(
      'svc_segment_corrupt_total',
      'Sealed segments that this process found to differ from what was sealed.',
    );
  }

  onApplicationBootstrap(): void {
    this.scheduler.every('corruption_watch', EVERY_MS, () => this.look());
  }

  private async look(): Promise<void> {
    const { corrupt } = await this.segments.step();
    this.corrupt.inc(await this.store.record('segment', corrupt, 'its bytes are not those that were sealed'));
    const failures = await this.store.countNewChecksumFailures();
    if (failures > 0)
      await this.store.record('pg_checksum', [String(failures)], 'PostgreSQL read pages whose checksum does not hold');
  }
}

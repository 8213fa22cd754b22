import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Metrics } from '../observability/metrics.js';

/** How many reads were retried recently, for the readiness gate read_retry_failed_threshold. */
@Injectable()
export class ReadRetries {
  private readonly counter: Counter<'outcome'>;
  private readonly windowMs: number;
  private readonly threshold: number;
  /** When, oldest first; no more than it takes to pass the threshold. */
  private times: number[] = [];

  constructor(@Inject(SETTINGS) { daemon }: Settings, metrics: Metrics) {
    this.windowMs = daemon.readRetryWindowSeconds * 1000;
    this.threshold = daemon.readRetryThreshold;
    this.counter = metrics.counter(
      'svc_read_retries_total',
      'Reads that were tried again after the database failed them, by what came of it.',
      ['outcome'],
    );
  }

  record(outcome: 'answered' | 'failed'): void {
    this.counter.inc({ outcome });
    this.times.push(performance.now());
    if (this.times.length > this.threshold + 1) this.times.shift();
  }

  /** @returns whether the threshold is passed, and how many reads are counted: at most one more than it */
  ofLate(): { tooMany: boolean; count: number; threshold: number; windowMs: number } {
    const since = performance.now() - this.windowMs;
    this.times = this.times.filter((time) => time > since);
    const { threshold, windowMs } = this;
    return { tooMany: this.times.length > threshold, count: this.times.length, threshold, windowMs };
  }
}

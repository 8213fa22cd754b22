import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Metrics } from '../observability/metrics.js';
import { Scheduler, type ScheduledWork } from '../scheduler/scheduler.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { signCheckpoint } from '../../evidence/checkpoint.js';
import { KeyRing } from './key-ring.js';
import { logLeafHash } from '../../evidence/log-entry.js';
import { LogWriter, type PendingRecord } from './log-writer.js';
import { appendLeaves, hashOfRange } from '../../evidence/tiles.js';

/** Records integrated by one transaction. */
const BATCH = 2048;
/** Receipts that are committed close together share a checkpoint. */
const GATHER_MS = 50;

/**
 * Gives committed records their leaves. In one transaction: the pending records, the grown tiles and the signed
 * checkpoint; an advisory lock lets one process of a database at a time do it, so the log cannot fork, and a killed one
 * leaves nothing half done. Woken after commits; a timer picks up what other processes left.
 */
@Injectable()
export class LogSequencer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logged: Counter;
  private readonly seconds: Histogram;
  private gather: NodeJS.Timeout | undefined;
  private work: ScheduledWork | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly keys: KeyRing,
    metrics: Metrics,
  ) {
    this.logged = metrics.counter('svc_log_leaves_total', 'Records that this process gave a leaf of the log.');
    this.seconds = metrics.histogram('svc_log_extend_seconds', 'Time to extend the log by one batch of records.', []);
  }

  onApplicationBootstrap(): void {
    const { logIntervalMs } = this.settings.evidence;
    const options = { isStoppedByOwner: true };
    this.work = this.scheduler.every('log_sequencer', logIntervalMs, () => this.integratePending(), options);
  }

  /** After the last request, which may have left a receipt. */
  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.gather);
    await this.work?.stop();
  }

  /** Integrates soon, unless another process is at it: then that one, or the timer, will. */
  wake(): void {
    this.gather ??= setTimeout(() => {
      this.gather = undefined;
      this.work?.wake();
    }, GATHER_MS).unref();
  }

  /** Returns when every record committed before the call is in the log. */
  async integrate(): Promise<void> {
    while ((await this.integrateBatch(true)) === BATCH);
  }

  private async integratePending(): Promise<void> {
    if (this.keys.hasEnded) return;
    while ((await this.integrateBatch(false)) === BATCH && !this.work?.isStopped);
  }

  /** @returns how many pending records it took */
  private integrateBatch(wait: boolean): Promise<number> {
    return this.crossTenant.run('extend log', async (query) => {
      const writer = new LogWriter(query);
      if (!(await writer.lock(wait))) return 0;
      const stop = this.seconds.startTimer();
      const head = await writer.readHead(this.settings.evidence.logOrigin);
      const pending = await writer.readPending(BATCH);
      // To sign again what a key that ended has signed is for those who have the new one.
      if (pending.length === 0 && (head.isSigned || this.keys.isEnding)) return 0;
      const key = this.keys.active;
      const fresh = withoutDoubles(pending);
      const tiles = await writer.readFrontier(head.size);
      const leaves = fresh.map((record) => logLeafHash(record.recordType, record.digest));
      const grown = appendLeaves(head.size, leaves, tiles);
      const size = head.size + fresh.length;
      const root = hashOfRange({ start: 0, end: size }, tiles);
      const checkpoint = signCheckpoint(head.origin, { size, root }, key);
      await writer.extend(head.size, pending, fresh, grown);
      await writer.publish({ origin: head.origin, size, root, kid: key.kid, checkpoint });
      this.logged.inc(fresh.length);
      stop();
      return pending.length;
    });
  }
}

/** A record has one leaf, however often it was handed in. */
function withoutDoubles(pending: readonly PendingRecord[]): PendingRecord[] {
  const byDigest = new Map(pending.map((record) => [Buffer.from(record.digest).toString('hex'), record]));
  return [...byDigest.values()].filter((record) => !record.logged);
}

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import { LOG, type Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
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
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private closed = false;
  private lastRunAt: Date | null = null;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly crossTenant: CrossTenant,
    private readonly keys: KeyRing,
    metrics: Metrics,
  ) {
    this.logged = metrics.counter('svc_log_leaves_total', 'Records that this process gave a leaf of the log.');
    this.seconds = metrics.histogram('svc_log_extend_seconds', 'Time to extend the log by one batch of records.', []);
  }

  onApplicationBootstrap(): void {
    this.wake();
    this.timer = setInterval(() => {
      this.wake();
    }, this.settings.evidence.logIntervalMs);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    clearTimeout(this.gather);
    await this.running;
  }

  /** Whether it still works, how often it polls, and when it last polled without an error. */
  get state(): { closed: boolean; everyMs: number; lastRunAt: Date | null } {
    return { closed: this.closed, everyMs: this.settings.evidence.logIntervalMs, lastRunAt: this.lastRunAt };
  }

  /** Integrates soon, unless another process is at it: then that one, or the timer, will. */
  wake(): void {
    if (this.closed || this.gather !== undefined || this.keys.hasEnded) return;
    this.gather = setTimeout(() => {
      this.running = this.running.then(() => {
        // From here on a new commit wakes it again; so at most one run waits behind the one at work.
        this.gather = undefined;
        return this.integrateQuietly();
      });
    }, GATHER_MS);
    this.gather.unref();
  }

  /** Returns when every record committed before the call is in the log. */
  async integrate(): Promise<void> {
    while ((await this.integrateBatch(true)) === BATCH);
  }

  private async integrateQuietly(): Promise<void> {
    try {
      while ((await this.integrateBatch(false)) === BATCH && !this.closed);
      this.lastRunAt = new Date();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.log.error({ error }, 'the log could not be extended');
    }
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

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import type { Counter, Histogram } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Metrics } from '../observability/metrics.js';
import { DueWork, FALLBACK_MS } from '../scheduler/due-work.js';
import { Scheduler, type ScheduledWork } from '../scheduler/scheduler.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { draftCheckpoint } from '../../evidence/checkpoint.js';
import { CheckpointKeeper } from './checkpoint-keeper.js';
import { KeyRing } from './key-ring.js';
import { beginEpoch } from './log-epochs.js';
import { logLeafHash } from '../../evidence/log-entry.js';
import { type LogRecord, LogWriter, type PendingRecord } from './log-writer.js';
import { appendLeaves, hashOfRange } from '../../evidence/tiles.js';
import type { EvidenceSigner } from '../../evidence/signing-key.js';

/** Records integrated by one transaction. */
const BATCH = 2048;
/** Receipts that are committed close together share a checkpoint. */
const GATHER_MS = 50;

/**
 * Gives committed records their leaves. In one transaction: the pending records, the grown tiles and the signed
 * checkpoint; an advisory lock lets one process of a database at a time do it, so the log cannot fork, and a killed one
 * leaves nothing half done. Woken after commits; a look picks up what other processes left.
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
    private readonly dueWork: DueWork,
    private readonly crossTenant: CrossTenant,
    private readonly keys: KeyRing,
    private readonly checkpoints: CheckpointKeeper,
    metrics: Metrics,
  ) {
    this.logged = metrics.counter('svc_log_leaves_total', 'Records that this process gave a leaf of the log.');
    this.seconds = metrics.histogram('svc_log_extend_seconds', 'Time to extend the log by one batch of records.', []);
  }

  onApplicationBootstrap(): void {
    const { logIntervalMs: everyMs } = this.settings.evidence;
    const options = { isStoppedByOwner: true };
    const fallbackMs = Math.max(everyMs, FALLBACK_MS);
    this.work = this.scheduler.every('log_sequencer', fallbackMs, () => this.integratePending(), options);
    this.dueWork.when(
      () => this.findWork(),
      () => this.work?.wake(),
      { everyMs },
    );
  }

  /** After the last request, which may have left a receipt. */
  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.gather);
    await this.work?.stop();
    await this.checkpoints.stop();
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

  /** What was committed elsewhere, and a checkpoint that is still signed by an earlier key. */
  private findWork(): string {
    if (this.keys.hasEnded) return 'false';
    const kid = escapeLiteral(this.keys.logSigners[0].kid);
    return `exists (select from log_pending) or not exists (select from log_head where kid = ${kid})`;
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
      const head = await writer.readHead();
      const pending = await writer.readPending(BATCH);
      const signers = this.keys.logSigners;
      const [key] = signers;
      // To sign again what an earlier key has signed is for those who have the new one.
      if (pending.length === 0 && (head?.kid === key.kid || this.keys.isEnding)) return 0;
      const begun = head ?? (await beginEpoch(query, this.settings.evidence.logOrigin, this.keys.active));
      const start = head?.size ?? 0;
      const fresh: LogRecord[] = withoutDoubles(pending);
      if ('digest' in begun) fresh.unshift({ recordType: 'execution', digest: begun.digest });
      const tiles = await writer.readFrontier(start);
      const leaves = fresh.map((record) => logLeafHash(record.recordType, record.digest));
      const grown = appendLeaves(start, leaves, tiles);
      const size = start + fresh.length;
      const root = hashOfRange({ start: 0, end: size }, tiles);
      const checkpoint = await signCheckpointBy(signers, begun.origin, { size, root });
      await writer.extend(start, pending, fresh, grown);
      await writer.publish({ origin: begun.origin, size, root, kid: key.kid, checkpoint });
      this.logged.inc(fresh.length);
      stop();
      return pending.length;
    });
  }
}

async function signCheckpointBy(
  signers: readonly EvidenceSigner[],
  origin: string,
  head: { size: number; root: Uint8Array },
): Promise<string> {
  const draft = draftCheckpoint(origin, head);
  const signed = signers.map(async (key) => {
    const [signature] = await key.signAll([draft.toBeSigned], 'log');
    return [key.publicKey, signature!] as const;
  });
  return draft.with(await Promise.all(signed));
}

/** A record has one leaf, however often it was handed in. */
function withoutDoubles(pending: readonly PendingRecord[]): PendingRecord[] {
  const byDigest = new Map(pending.map((record) => [Buffer.from(record.digest).toString('hex'), record]));
  return [...byDigest.values()].filter((record) => !record.logged);
}

import { readFile } from 'node:fs/promises';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { failureReason } from '../http/failure-reason.js';
import { parseCertificates } from '../../evidence/certificate-path.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LOG, type Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Scheduler } from '../scheduler/scheduler.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { askAuthority } from './timestamp-client.js';
import { TimestampsStore } from './timestamps.store.js';

/** How often it is looked whether the time has come. */
const LOOK_MS = 5_000;
const REASON = 'timestamp log';

/**
 * Has new heads of the log stamped by the authority of SVC_TSA_URL. Apart from everything else: nothing waits for it,
 * and what it does not answer, or answers wrong, is logged and asked again.
 */
@Injectable()
export class Timestamps implements OnApplicationBootstrap {
  private readonly settings: Settings['evidence'];
  /** What was said last, so that it is logged once. */
  private failing: string | undefined;

  constructor(
    @Inject(SETTINGS) { evidence }: Settings,
    @Inject(LOG) private readonly log: Log,
    @Inject(Metrics) private readonly metrics: Metrics,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
  ) {
    this.settings = evidence;
  }

  onApplicationBootstrap(): void {
    const { tsaUrl, tsaEverySec } = this.settings;
    if (tsaUrl === undefined) return;
    const asked = this.metrics.counter('svc_timestamps_total', 'Timestamps that this process asked for, by outcome.', [
      'outcome',
    ]);
    this.metrics.gauge(
      'svc_timestamp_seconds',
      'When the log was stamped last, in seconds since 1970; 0 before it was.',
      [],
      async (gauge) => {
        const state = await this.crossTenant
          .run(REASON, (query) => new TimestampsStore(query).findState(tsaUrl))
          .catch(() => undefined);
        if (state) gauge.set((state.stamped_at?.getTime() ?? 0) / 1000);
      },
    );
    this.scheduler.every('timestamps', Math.min(LOOK_MS, tsaEverySec * 1000), async () => {
      const outcome = await this.ask(tsaUrl, tsaEverySec * 1000);
      if (outcome) asked.inc({ outcome });
    });
  }

  /** @returns undefined when there was nothing to ask for */
  private async ask(url: string, everyMs: number): Promise<'stamped' | 'failed' | undefined> {
    const turn = await this.crossTenant.run(REASON, (query) => new TimestampsStore(query).takeTurn(url, everyMs));
    if (!turn) return undefined;
    try {
      const { tsaCaFile, tsaPolicy: policy } = this.settings;
      const anchors = tsaCaFile === undefined ? undefined : parseCertificates(await readFile(tsaCaFile, 'utf8'));
      const { token, opened } = await askAuthority({ url, policy, anchors }, Buffer.from(turn.checkpoint));
      const stamp = { ...turn, token, stampedAt: opened.time, authority: opened.authority };
      await this.crossTenant.run(REASON, (query) => new TimestampsStore(query).add(url, stamp));
      this.failing = undefined;
      return 'stamped';
    } catch (error) {
      const reason = failureReason(error);
      await this.crossTenant.run(REASON, (query) => new TimestampsStore(query).fail(url, reason, everyMs));
      if (this.failing !== reason)
        this.log.warn({ url: new URL(url).origin, reason }, 'the checkpoint was not stamped');
      this.failing = reason;
      return 'failed';
    }
  }
}

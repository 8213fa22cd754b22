import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Listener } from '../../../../common/database/listener.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { OUTBOX_CHANNEL } from '../../../../common/outbox/outbox.js';
import { DueWork } from '../../../../common/scheduler/due-work.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { areEventsBehind, CursorsStore } from './cursors.store.js';
import { EventSinksService } from './event-sinks.service.js';
import { SinkLoop } from './sink-loop.js';

/** The lag is counted up to here. */
const LAG_LIMIT = 100_000;

/**
 * Publishes the outbox: a loop for each sink, so that one that is slow or down holds up no other. It works where
 * background jobs work; of several processes one at a time serves a sink, and another takes over within a second when
 * it dies.
 */
@Injectable()
export class PublisherService implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private loops: SinkLoop[] = [];
  private stops: (() => void)[] = [];
  private readonly published;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly crossTenant: CrossTenant,
    private readonly listener: Listener,
    private readonly dueWork: DueWork,
    private readonly sinks: EventSinksService,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {
    this.published = metrics.counter('svc_outbox_published_total', 'Events handed to a sink by this process.', [
      'sink',
    ]);
  }

  onModuleInit(): void {
    const measure = (name: 'events' | 'seconds', help: string) =>
      this.metrics.gauge(`svc_outbox_lag_${name}`, help, ['sink'], async (gauge) => {
        for (const { sink } of this.loops) {
          const lag = await this.crossTenant
            .run('outbox lag', (query) => new CursorsStore(query).lag(sink.name, LAG_LIMIT))
            .catch(() => undefined);
          if (lag) gauge.set({ sink: sink.name }, lag[name]);
        }
      });
    measure('events', `Events a sink has not been handed yet, at most ${LAG_LIMIT}.`);
    measure('seconds', 'Age of the oldest event a sink has not been handed yet.');
  }

  onApplicationBootstrap(): void {
    if (!this.settings.jobs.enabled) return;
    this.loops = this.sinks.all.map(
      (sink) =>
        new SinkLoop(sink, this.crossTenant, this.log, (count) => this.published.inc({ sink: sink.name }, count)),
    );
    const wake = () => this.loops.forEach((loop) => loop.wake());
    this.stops = [this.listener.on(OUTBOX_CHANNEL, wake), this.listener.onGap(wake)];
    for (const loop of this.loops) {
      loop.start();
      this.dueWork.when(
        () => areEventsBehind(loop.sink.name),
        () => loop.wake(),
      );
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const stop of this.stops) stop();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}

import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { EventsController } from './feed/events.controller.js';
import { EventsService } from './feed/events.service.js';
import { EventsStore } from './feed/events.store.js';
import { EventSinksService } from './publisher/event-sinks.service.js';
import { NatsSink } from './publisher/nats.sink.js';
import { PublisherService } from './publisher/publisher.service.js';
import { RetentionSweep } from './publisher/retention.sweep.js';
import { DeliveriesService } from './webhooks/deliveries.service.js';
import { DeliveriesStore } from './webhooks/deliveries.store.js';
import { WebhookSecrets } from './webhooks/webhook-secrets.js';
import { WebhookSink } from './webhooks/webhook-sink.js';
import { WebhookWorker } from './webhooks/webhook.worker.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksService } from './webhooks/webhooks.service.js';
import { WebhooksStore } from './webhooks/webhooks.store.js';

/**
 * Brings the events of the outbox to those who listen: the event stream of a tenant, NATS JetStream when SVC_NATS_URL
 * names one, the webhooks of a tenant, and modules that register their own sink. See docs/events.md.
 */
@Module({
  controllers: [EventsController, WebhooksController],
  providers: [
    DeliveriesService,
    DeliveriesStore,
    EventSinksService,
    EventsService,
    EventsStore,
    PublisherService,
    RetentionSweep,
    WebhookSecrets,
    WebhookWorker,
    WebhooksService,
    WebhooksStore,
  ],
  exports: [EventSinksService, WebhooksService],
})
export class OutboxModule implements OnModuleInit {
  constructor(
    private readonly sinks: EventSinksService,
    private readonly worker: WebhookWorker,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const { outbox, process } = this.settings;
    const source = process.publicUrl ?? 'svc';
    this.sinks.register(new WebhookSink(source, () => this.worker.wake()));
    if (outbox.natsUrl === undefined) return;
    const { natsUrl: url, natsStream: stream, retentionDays } = outbox;
    this.sinks.register(new NatsSink({ url, stream, source, retentionDays, log: this.log }));
  }
}

import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { DueWork, FALLBACK_MS } from '../../../../common/scheduler/due-work.js';
import { Scheduler, type ScheduledWork } from '../../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { DeliveriesStore } from './deliveries.store.js';
import { claimDue, type DueDelivery, IS_DELIVERY_DUE } from './due-deliveries.store.js';
import { retryDelay } from './retry.rules.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { postWebhook, type Answered } from './webhook-sender.js';
import { WebhooksStore } from './webhooks.store.js';

/** Attempts in flight at once: of this process, and over all processes for an endpoint and a tenant. */
const MAX_AT_ONCE = 128;
const MAX_PER_ENDPOINT = 4;
const MAX_PER_TENANT = 16;
/** What an outcome may take to be written down after the endpoint's time is over. */
const LEASE_SLACK_SECONDS = 20;
const GONE = 410;

/** Attempts what is due, many endpoints at once, few attempts to each. */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly underWay = new Set<Promise<void>>();
  private readonly attempts;
  private claims: ScheduledWork | undefined;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly dueWork: DueWork,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly deliveries: DeliveriesStore,
    private readonly webhooks: WebhooksStore,
    private readonly secrets: WebhookSecrets,
    private readonly outbox: Outbox,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.attempts = metrics.counter('svc_webhook_attempts_total', 'Attempts to deliver to webhooks, by outcome.', [
      'outcome',
    ]);
  }

  onApplicationBootstrap(): void {
    if (!this.settings.jobs.enabled) return;
    this.claims = this.scheduler.every('webhook claims', FALLBACK_MS, () => this.claim());
    this.dueWork.when(
      () => IS_DELIVERY_DUE,
      () => this.wake(),
    );
  }

  /** The scheduler has ended the claims. Waits for the attempts in flight, which their timeout bounds. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay);
  }

  wake(): void {
    this.claims?.wake();
  }

  private async claim(): Promise<void> {
    const free = MAX_AT_ONCE - this.underWay.size;
    if (free <= 0) return;
    const bounds = {
      free,
      perEndpoint: MAX_PER_ENDPOINT,
      perTenant: MAX_PER_TENANT,
      leaseSeconds: this.settings.outbox.webhookTimeoutMs / 1000 + LEASE_SLACK_SECONDS,
    };
    for (const due of await this.crossTenant.run('webhook claims', (query) => claimDue(query, bounds))) this.begin(due);
  }

  private begin(due: DueDelivery): void {
    const attempt = this.attempt(due).catch((error: unknown) => {
      // The lease ends, and the delivery is due again.
      this.log.error({ tenant: due.tenant_id, delivery: due.delivery_id, error }, 'a webhook outcome was not recorded');
    });
    this.underWay.add(attempt);
    void attempt.finally(() => {
      this.underWay.delete(attempt);
      this.wake();
    });
  }

  private async attempt(due: DueDelivery): Promise<void> {
    const startedAt = new Date();
    const answered = await this.post(due);
    const durationMs = Date.now() - startedAt.getTime();
    const { delivery_id: deliveryId, attempts: attempt } = due;
    await this.tenancy.run(due.tenant_id, async () => {
      await this.deliveries.recordAttempt({ deliveryId, attempt, startedAt, durationMs, ...answered });
      await this.settle(due, answered);
    });
  }

  private async post(due: DueDelivery): Promise<Answered> {
    const { tenant_id: tenantId, endpoint_id: endpointId, secret, previous_secrets } = due;
    const opened = await Promise.all(
      [secret, ...previous_secrets].map((one) => this.secrets.decrypt(tenantId, endpointId, one)),
    );
    const secrets = opened.filter((one) => one !== undefined);
    if (secrets.length === 0) return { status: null, error: 'the signing secret cannot be read; rotate it' };
    const { outbox, process } = this.settings;
    return postWebhook({
      url: due.url,
      id: due.event_id,
      payload: due.payload,
      secrets,
      timeoutMs: outbox.webhookTimeoutMs,
      isPrivateAllowed: outbox.allowPrivateTargets || process.nodeEnv !== 'production',
    });
  }

  private async settle(due: DueDelivery, { status, error }: Answered): Promise<void> {
    const { delivery_id: deliveryId, endpoint_id: webhookId, attempts: attempt, event_id: eventId } = due;
    const isDisabled = status === GONE && (await this.disable(webhookId));
    const delay = retryDelay(this.settings.outbox.webhookRetrySeconds, due.round_attempts);
    const outcome = error === null ? 'delivered' : delay === undefined || isDisabled ? 'dead' : 'pending';
    if (!isDisabled) await this.deliveries.settle(deliveryId, attempt, outcome, delay);
    this.attempts.inc({ outcome: outcome === 'pending' ? 'failed' : outcome });
    if (outcome !== 'dead') return;
    this.log.warn(
      { tenant: due.tenant_id, webhook: webhookId, event: eventId, error },
      'a webhook delivery was given up',
    );
  }

  /** A receiver that answers 410 wants no more (Standard Webhooks). */
  private async disable(webhookId: string): Promise<boolean> {
    const isDisabled = await this.webhooks.disable(webhookId, 'the endpoint answered 410 Gone');
    if (isDisabled) {
      this.outbox.emit({ kind: 'webhook.disabled', subject: webhookId, data: { webhookId, reason: '410' } });
    }
    return isDisabled;
  }
}

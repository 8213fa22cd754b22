import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { DeliveriesStore, type DeliveryRow } from './deliveries.store.js';
import type { Delivery, DeliveryList, DeliveryPath, DeliveryQuery } from './webhooks.dto.js';
import { DeliveryPending, DeliveryUnknown, WebhookDisabled } from './webhooks.problems.js';
import { unknown } from './webhooks.service.js';
import { WebhooksStore } from './webhooks.store.js';

/** Shows what was sent to a webhook, and sends it again. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly webhooks: WebhooksStore,
    private readonly store: DeliveriesStore,
    private readonly outbox: Outbox,
  ) {}

  list(caller: TenantCaller, webhookId: string, { status, cursor, limit }: DeliveryQuery): Promise<DeliveryList> {
    const before = decodeCursor(cursor, ['bigint'])?.[0];
    return this.tenancy.run(caller.tenantId, async () => {
      if (!(await this.webhooks.find(webhookId))) throw unknown(webhookId);
      const rows = await this.store.list(webhookId, status, before, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.position]);
      return { deliveries: page.map(deliveryOf), next_cursor };
    });
  }

  /** @throws WebhookUnknown, DeliveryUnknown, DeliveryPending, WebhookDisabled */
  async redeliver(caller: TenantCaller, { webhookId, deliveryId }: DeliveryPath): Promise<Delivery> {
    const endpoint = await this.webhooks.find(webhookId, true);
    if (!endpoint) throw unknown(webhookId);
    const delivery = await this.store.find(webhookId, deliveryId);
    if (!delivery) throw new DeliveryUnknown({ deliveryId }, 'The deliveries of the webhook list those there are');
    if (endpoint.disabled_at) {
      throw new WebhookDisabled({ webhookId }, 'It answered 410; register the address again to have events sent');
    }
    if (!(await this.store.reopen(deliveryId))) {
      throw new DeliveryPending({ deliveryId }, 'Wait until it is delivered or dead');
    }
    await this.outbox.emit({
      kind: 'webhook.redelivered',
      subject: webhookId,
      data: { webhookId, deliveryId, eventId: delivery.event_id, actor: caller.principal },
    });
    return deliveryOf((await this.store.find(webhookId, deliveryId))!);
  }
}

const deliveryOf = (row: DeliveryRow): Delivery => ({
  deliveryId: row.delivery_id,
  eventId: row.event_id,
  kind: row.kind,
  subject: row.subject,
  status: row.state,
  nextAttemptAt: row.state === 'pending' ? row.next_at.toISOString() : null,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
  attempts: row.tries.map(({ attempt, started_at, duration_ms, status, error }) => ({
    attempt,
    at: new Date(started_at).toISOString(),
    durationMs: duration_ms,
    status,
    error,
  })),
});

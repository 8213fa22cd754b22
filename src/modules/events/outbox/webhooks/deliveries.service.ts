import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { DeliveriesStore } from './deliveries.store.js';
import type { Delivery, DeliveryList, DeliveryPath, DeliveryQuery } from './webhooks.dto.js';
import { DeliveryPending, DeliveryUnknown, WebhookDisabled } from './webhooks.problems.js';
import { unknown } from './webhooks.service.js';
import { WebhooksStore } from './webhooks.store.js';
import { toDelivery } from './webhooks.views.js';

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
    const before = decodeCursor(cursor, ['bigint']);
    return this.tenancy.run(caller.tenantId, async () => {
      if (!(await this.webhooks.find(webhookId))) throw unknown(webhookId);
      const rows = await this.store.list({ endpointId: webhookId, state: status }, before, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.position]);
      return { deliveries: page.map(toDelivery), next_cursor };
    });
  }

  /** @throws WebhookUnknown, DeliveryUnknown, DeliveryPending, WebhookDisabled */
  async redeliver(caller: TenantCaller, { webhookId, deliveryId }: DeliveryPath): Promise<Delivery> {
    const endpoint = await this.webhooks.find(webhookId, 'update');
    if (!endpoint) throw unknown(webhookId);
    if (!(await this.store.find(webhookId, deliveryId)))
      throw new DeliveryUnknown({ deliveryId }, 'The deliveries of the webhook list those there are');
    if (endpoint.disabledAt) {
      throw new WebhookDisabled({ webhookId }, 'It answered 410; register the address again to have events sent');
    }
    const reopened = await this.store.reopen(deliveryId);
    if (!reopened) throw new DeliveryPending({ deliveryId }, 'Wait until it is delivered or dead');
    this.outbox.emit({
      kind: 'webhook.redelivered',
      subject: webhookId,
      data: { webhookId, deliveryId, eventId: reopened.eventId, actor: caller.principal },
    });
    return toDelivery(reopened);
  }
}

import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import {
  Delivery,
  DeliveryList,
  DeliveryPath,
  DeliveryQuery,
  WebhookCreated,
  WebhookDeleted,
  WebhookList,
  WebhookPath,
  WebhookRequest,
  WebhookSecret,
} from './webhooks.dto.js';
import {
  DeliveryPending,
  DeliveryUnknown,
  WebhookDisabled,
  WebhookLimitReached,
  WebhookUnknown,
} from './webhooks.problems.js';
import { WebhooksService } from './webhooks.service.js';

@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Route('GET /v1/org/webhooks', {
    tag: 'webhooks',
    summary: 'List webhooks',
    access: seats('owner', 'admin'),
    reply: ok(WebhookList),
  })
  listWebhooks(@Caller() caller: TenantCaller, @Query() query: PageQuery): Promise<WebhookList> {
    return this.webhooks.list(caller, query);
  }

  @Route('POST /v1/org/webhooks', {
    tag: 'webhooks',
    summary: 'Create a webhook',
    description:
      'Every event from now on is posted as JSON and signed as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature). Answer 2xx within 10 seconds; anything else, redirects included, ' +
      'is tried again with growing delays and then kept as dead, to be sent again by hand. An event may arrive twice, with one webhook-id, and not in order. ' +
      'Answering 410 disables the webhook. See docs/events.md for how to verify the signature.',
    access: seats('owner', 'admin'),
    reply: created(WebhookCreated),
    secretReply: true,
    problems: [WebhookLimitReached],
  })
  createWebhook(@Caller() caller: TenantCaller, @Body() body: WebhookRequest): Promise<WebhookCreated> {
    return this.webhooks.record(caller, body);
  }

  @Route('DELETE /v1/org/webhooks/:webhookId', {
    tag: 'webhooks',
    summary: 'Delete a webhook',
    description: 'Deliveries that are still pending are given up.',
    access: seats('owner', 'admin'),
    reply: ok(WebhookDeleted),
    problems: [WebhookUnknown],
  })
  deleteWebhook(@Caller() caller: TenantCaller, @Param() path: WebhookPath): Promise<WebhookDeleted> {
    return this.webhooks.withdraw(caller, path.webhookId);
  }

  @Route('POST /v1/org/webhooks/:webhookId/rotate-secret', {
    tag: 'webhooks',
    summary: 'Rotate the secret of a webhook',
    description: 'For 24 hours everything is signed with both, so that the receiver can change over without a gap.',
    access: seats('owner', 'admin'),
    reply: ok(WebhookSecret),
    secretReply: true,
    problems: [WebhookUnknown],
  })
  rotateWebhookSecret(@Caller() caller: TenantCaller, @Param() path: WebhookPath): Promise<WebhookSecret> {
    return this.webhooks.rotateSecret(caller, path.webhookId);
  }

  @Route('GET /v1/org/webhooks/:webhookId/deliveries', {
    tag: 'webhooks',
    summary: 'List the deliveries of a webhook',
    access: seats('owner', 'admin'),
    reply: ok(DeliveryList),
    problems: [WebhookUnknown],
  })
  listDeliveries(
    @Caller() caller: TenantCaller,
    @Param() path: WebhookPath,
    @Query() query: DeliveryQuery,
  ): Promise<DeliveryList> {
    return this.deliveries.list(caller, path.webhookId, query);
  }

  @Route('POST /v1/org/webhooks/:webhookId/deliveries/:deliveryId/redeliver', {
    tag: 'webhooks',
    summary: 'Redeliver a delivery',
    description:
      'At once, with a fresh round of retries, under the same webhook-id. Refused while it is still pending.',
    access: seats('owner', 'admin'),
    reply: ok(Delivery),
    problems: [WebhookUnknown, DeliveryUnknown, DeliveryPending, WebhookDisabled],
  })
  repeatDelivery(@Caller() caller: TenantCaller, @Param() path: DeliveryPath): Promise<Delivery> {
    return this.deliveries.redeliver(caller, path);
  }
}

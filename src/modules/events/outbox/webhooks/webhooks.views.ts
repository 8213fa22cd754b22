import type { WebhookDeliveryRow } from './webhook-delivery.entity.js';
import type { WebhookEndpointRow } from './webhook-endpoint.entity.js';
import type { Delivery, Webhook } from './webhooks.dto.js';

export const toWebhook = (row: WebhookEndpointRow): Webhook => ({
  webhookId: row.endpointId,
  url: row.url,
  kinds: row.kinds,
  description: row.description,
  watchId: row.watchId,
  status: row.disabledAt ? 'disabled' : 'active',
  disabledReason: row.disabledReason,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
});

export const toDelivery = (row: WebhookDeliveryRow): Delivery => ({
  deliveryId: row.deliveryId,
  eventId: row.eventId,
  kind: row.kind,
  subject: row.subject,
  status: row.state,
  nextAttemptAt: row.state === 'pending' ? row.nextAt.toISOString() : null,
  createdAt: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
  attempts: row.tries.map(({ attempt, at, durationMs, status, error }) => ({
    attempt,
    at: new Date(at).toISOString(),
    durationMs,
    status,
    error,
  })),
});

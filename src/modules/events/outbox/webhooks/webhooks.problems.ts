import { problem } from '../../../../common/problem/problem.js';

export class WebhookUnknown extends problem<{ webhookId: string }>(404, 'WebhookUnknown', 'There is no such webhook') {}
export class DeliveryUnknown extends problem<{ deliveryId: string }>(
  404,
  'DeliveryUnknown',
  'There is no such delivery',
) {}
export class WebhookLimitReached extends problem<{ limit: number }>(
  409,
  'WebhookLimitReached',
  'The tenant has as many webhooks as it may have',
) {}
export class WebhookDisabled extends problem<{ webhookId: string }>(
  409,
  'WebhookDisabled',
  'The webhook is disabled and nothing is sent to it',
) {}
export class DeliveryPending extends problem<{ deliveryId: string }>(
  409,
  'DeliveryPending',
  'The delivery is still being tried',
) {}

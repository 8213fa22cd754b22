import { Choice, DateTime, Integer, ListOf, Text, TextList, Url, Uuid } from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { TenantMember } from '../../../../common/fields/shared-members.js';
import { DELIVERY_STATES, type DeliveryState } from './webhooks.types.js';

export class WebhookRequest {
  @TenantMember()
  tenantId?: string;

  @Url({
    about:
      'Where events are posted: https, without credentials in it. Private and loopback addresses and plain http are refused in production, unless the server allows them.',
    example: 'https://example.org/hooks/svc',
  })
  url!: string;

  @TextList({
    about:
      'Kinds of events to send: whole ones (`seat.invited`) or, ending in `.*`, families (`document.*`). None: all.',
    max: 200,
    maxItems: 100,
    default: [],
  })
  kinds!: string[];

  @Text({ about: 'What it is for.', optional: true, min: 1, max: 500 })
  description?: string;
}

export class WebhookPath {
  @Uuid({ about: 'The webhook.' })
  webhookId!: string;
}

export class DeliveryPath extends WebhookPath {
  @Uuid({ about: 'The delivery.' })
  deliveryId!: string;
}

export class Webhook {
  @Uuid({ about: 'The webhook.' })
  webhookId!: string;

  @Url({ about: 'Where events are posted.' })
  url!: string;

  @TextList({ about: 'Kinds of events that are sent; none: all.' })
  kinds!: string[];

  @Text({ about: 'What it is for.', nullable: true })
  description!: string | null;

  @Uuid({ about: 'The watch whose alerts alone are sent; null where it is not bound to one.', nullable: true })
  watchId!: string | null;

  @Choice({
    about: 'disabled: the endpoint answered 410, and nothing is sent any more.',
    values: ['active', 'disabled'],
  })
  status!: 'active' | 'disabled';

  @Text({ about: 'Why it is disabled.', nullable: true })
  disabledReason!: string | null;

  @Text({ about: 'Who registered it.' })
  createdBy!: string;

  @DateTime({ about: 'When it was registered. Earlier events are not sent.' })
  createdAt!: string;
}

export class WebhookCreated extends Webhook {
  @Text({
    about: 'Verifies what is sent (Standard Webhooks). Shown this once.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  secret!: string;
}

export class WebhookList {
  @ListOf({ about: 'Webhooks in the order in which they were registered.', type: () => Webhook })
  webhooks!: Webhook[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class WebhookDeleted {
  @Uuid({ about: 'The webhook.' })
  webhookId!: string;

  @DateTime({ about: 'From when nothing is sent to it.' })
  deletedAt!: string;
}

export class WebhookSecret {
  @Uuid({ about: 'The webhook.' })
  webhookId!: string;

  @Text({ about: 'The new secret. Shown this once.' })
  secret!: string;

  @DateTime({ about: 'Until then everything is signed with the secret before it too.' })
  previousSecretValidUntil!: string;
}

export class DeliveryQuery extends PageQuery {
  @Choice({ about: 'Only deliveries with this status.', values: DELIVERY_STATES, optional: true })
  status?: DeliveryState;
}

export class DeliveryAttempt {
  @Integer({ about: 'Counts from 1 over all attempts of the delivery.', min: 1 })
  attempt!: number;

  @DateTime({ about: 'When it began.' })
  at!: string;

  @Integer({ about: 'How long it took, in milliseconds.', min: 0 })
  durationMs!: number;

  @Integer({ about: 'The HTTP status that was answered; null when there was none.', nullable: true })
  status!: number | null;

  @Text({ about: 'Why it failed; null when it succeeded.', nullable: true })
  error!: string | null;
}

export class Delivery {
  @Uuid({ about: 'The delivery.' })
  deliveryId!: string;

  @Uuid({ about: 'The event; it is the webhook-id of every attempt.' })
  eventId!: string;

  @Text({ about: 'The kind of event.' })
  kind!: string;

  @Text({ about: 'What the event is about.' })
  subject!: string;

  @Choice({ about: 'pending: will be tried (again). dead: given up after its last attempt.', values: DELIVERY_STATES })
  status!: DeliveryState;

  @DateTime({ about: 'When it is tried next; null when it is not.', nullable: true })
  nextAttemptAt!: string | null;

  @DateTime({ about: 'When the event came to be delivered.' })
  createdAt!: string;

  @DateTime({ about: 'When it was delivered or given up; null before.', nullable: true })
  finishedAt!: string | null;

  @ListOf({ about: 'The latest attempts, at most 50, oldest first.', type: () => DeliveryAttempt })
  attempts!: DeliveryAttempt[];
}

export class DeliveryList {
  @ListOf({ about: 'Deliveries, newest first.', type: () => Delivery })
  deliveries!: Delivery[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

import { envelopeOf } from '../outbox.rules.js';
import type { EventSink, StoredEvent } from '../outbox.types.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import { LISTENING_TENANTS, recordDeliveries } from './due-deliveries.store.js';

/**
 * Makes a delivery of each event for each endpoint that asked for it: exactly one, as it is committed together with the
 * sink's place.
 */
export class WebhookSink implements EventSink {
  readonly name = 'webhooks';
  readonly batch = 500;
  readonly tenants = LISTENING_TENANTS;
  readonly copiesText = true;

  constructor(
    private readonly source: string,
    /** There is something to deliver. */
    readonly settled: () => void,
  ) {}

  async publish(events: readonly StoredEvent[], query: Query): Promise<number> {
    await recordDeliveries(
      query,
      events.map((event) => ({
        tenant_id: event.tenantId,
        event_id: event.eventId,
        kind: event.kind,
        subject: event.subject,
        transaction: event.transaction,
        payload: JSON.stringify(envelopeOf(event, this.source)),
      })),
    );
    return events.length;
  }
}

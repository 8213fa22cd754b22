import type { EventPosition, StoredEvent } from '../../events/outbox/outbox.types.js';

/** The id of an event on the stream: its position, by which a reconnecting client says how far it has read. */
export const idOf = ({ transaction, position }: EventPosition): string => `${transaction}-${position}`;

/** An event as the daemon shows it. */
export const shownEvent = (event: StoredEvent) => ({
  id: event.eventId,
  type: event.kind,
  subject: event.subject,
  time: event.occurredAt.toISOString(),
  tenant_id: event.tenantId,
  data: event.data,
});

/** The header of routes that stream events. */
export const LAST_EVENT_ID = {
  name: 'last-event-id',
  description: 'The id of the last event that was seen; browsers send it by themselves.',
  schema: { type: 'string', pattern: '^\\d{1,19}-\\d{1,19}$' },
};

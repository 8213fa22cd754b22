import type { EventPosition, StoredEvent } from '../../events/outbox/outbox.types.js';

const EVENT_ID = /^(\d{1,19})-(\d{1,19})$/;
const LARGEST = 2n ** 63n - 1n;

/** The id of an event on the stream: its position, by which a reconnecting client says how far it has read. */
export const idOf = ({ transaction, position }: EventPosition): string => `${transaction}-${position}`;

/** The place that a Last-Event-ID names; undefined where it is none of ours. */
export function positionOf(id: string): EventPosition | undefined {
  const [, transaction, position] = EVENT_ID.exec(id) ?? [];
  if (transaction === undefined || position === undefined) return undefined;
  return BigInt(transaction) <= LARGEST && BigInt(position) <= LARGEST ? { transaction, position } : undefined;
}

export const isAfter = (a: EventPosition, b: EventPosition): boolean => {
  const [x, y] = [BigInt(a.transaction), BigInt(b.transaction)];
  return x === y ? BigInt(a.position) > BigInt(b.position) : x > y;
};

/** One event as the stream shows it (WHATWG HTML, section 9.2): the kind as its name, JSON in one line as its data. */
export function messageOf(event: StoredEvent): string {
  const data = JSON.stringify({
    id: event.eventId,
    type: event.kind,
    subject: event.subject,
    time: event.occurredAt.toISOString(),
    tenant_id: event.tenantId,
    data: event.data,
  });
  return `id: ${idOf(event)}\nevent: ${event.kind}\ndata: ${data}\n\n`;
}

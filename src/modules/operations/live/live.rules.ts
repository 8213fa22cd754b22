import type { EventPosition, StoredEvent } from '../../events/outbox/outbox.types.js';
import { idOf, shownEvent } from './live.views.js';

const EVENT_ID = /^(\d{1,19})-(\d{1,19})$/;
const MAX_ID = 2n ** 63n - 1n;

/** The place that a Last-Event-ID names; undefined where it is none of ours. */
export function positionOf(id: string): EventPosition | undefined {
  const [, transaction, position] = EVENT_ID.exec(id) ?? [];
  if (transaction === undefined || position === undefined) return undefined;
  return BigInt(transaction) <= MAX_ID && BigInt(position) <= MAX_ID ? { transaction, position } : undefined;
}

export const isAfter = (a: EventPosition, b: EventPosition): boolean => {
  const [x, y] = [BigInt(a.transaction), BigInt(b.transaction)];
  return x === y ? BigInt(a.position) > BigInt(b.position) : x > y;
};

/** One event as the stream shows it (WHATWG HTML, section 9.2): the kind as its name, JSON in one line as its data. */
export function messageOf(event: StoredEvent): string {
  return `id: ${idOf(event)}\nevent: ${event.kind}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`;
}

import type { StoredEvent } from '../../events/outbox/outbox.types.js';

/** What the kinds of the feed begin with. The indexes of the outbox name the same, in this order. */
export const FEED_FAMILIES = ['work', 'gate', 'lease', 'punchcard', 'intent', 'orchestrator'] as const;

const FAMILIES = new Set<string>(FEED_FAMILIES);

/** Whether an event belongs to the feed, or to that of one work item. */
export function isOfFeed(
  { kind, subject, data }: Pick<StoredEvent, 'kind' | 'subject' | 'data'>,
  workId?: string,
): boolean {
  if (!FAMILIES.has(kind.split('.', 1)[0]!)) return false;
  return workId === undefined || (data.workId ?? data.work_id ?? subject) === workId;
}

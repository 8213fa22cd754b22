import type { Query } from '../../../common/tenancy/cross-tenant.js';

/** An event as it stands in the outbox. */
export interface StoredEvent {
  tenantId: string;
  eventId: string;
  kind: string;
  subject: string;
  data: Record<string, unknown>;
  occurredAt: Date;
  /** Of the transaction that wrote it; with `position` its place in the order of all events. Both are decimal. */
  transaction: string;
  position: string;
}

/** A place in the order of all events; both parts are decimal. */
export type EventPosition = Pick<StoredEvent, 'transaction' | 'position'>;

/**
 * What events are handed to, in order, from a place of its own that is kept in the database. One process at a time
 * serves a sink; when a step fails, or its process dies, the same events come again.
 */
export interface EventSink {
  /** Never reused for something else: the cursor is kept under it. */
  readonly name: string;
  /** Events a step passes at most. */
  readonly batch: number;
  /**
   * SQL of the tenants whose events it wants, as `select tenant_id ...`; without it all. The others are passed over
   * unread.
   */
  readonly tenants?: string;
  /** Outside of any transaction: makes what publishing needs, or throws. */
  prepare?(): Promise<void>;
  /**
   * What it writes by `query` has text of the events in it: no erasure of their tenants ends meanwhile, and they are
   * read after it.
   */
  readonly copiesText?: boolean;
  /**
   * What it writes by `query` is committed together with the place it has come to. Never called without events.
   * @returns how many it took, from the first one on and one at least; the others come again
   */
  publish(events: readonly StoredEvent[], query: Query): Promise<number>;
  /** After a step that published something was committed. */
  settled?(): void;
  close?(): Promise<void>;
}

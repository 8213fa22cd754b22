import { Injectable } from '@nestjs/common';
import { uuid } from '../ids/uuid.js';
import { Tenancy } from '../tenancy/tenancy.js';

/** An event, for consumers outside of the process. */
export interface OutboxEvent {
  /** Dotted, past tense where it can be: `seat.invited`, `watch.alert`, `shield.decision`. */
  kind: string;
  /** The id of what it is about. */
  subject: string;
  /** JSON; ids and facts, never a secret. */
  data: object;
}

/** An event as it is written. */
export interface OutboxRow extends OutboxEvent {
  event_id: string;
}

export const outboxRows = (events: readonly OutboxEvent[]): OutboxRow[] =>
  events.map((event) => ({ ...event, event_id: uuid() }));

/** NOTIFY on this channel: events were committed. Only a hint: readers of events also poll every second. */
export const OUTBOX_CHANNEL = 'svc_outbox';
/**
 * Commits that are close together share a notification: PostgreSQL lets only one transaction that notifies commit at a
 * time.
 */
const GATHER_MS = 10;
/** Under load there is a commit every few milliseconds, and each notification wakes readers in every process. */
const ANNOUNCE_EVERY_MS = 200;

/** Events written in the unit of work whose effect they report, so that they exist exactly when it does (D25). */
@Injectable()
export class Outbox {
  private announcing = false;
  private announcedAt = -ANNOUNCE_EVERY_MS;

  constructor(private readonly tenancy: Tenancy) {}

  /** Writes an event with the open unit of work. @returns its id, by which consumers know a second delivery */
  emit(event: OutboxEvent): string {
    return this.emitMany([event])[0]!;
  }

  /** Writes events in their order, in one statement. @returns their ids */
  emitMany(events: readonly OutboxEvent[]): string[] {
    if (events.length === 0) return [];
    const rows = outboxRows(events);
    this.tenancy.send(
      `insert into outbox_event (tenant_id, event_id, kind, subject, data)
       select $1, e.event_id, e.kind, e.subject, e.data
       from rows from (jsonb_to_recordset($2::jsonb) as (event_id uuid, kind text, subject text, data jsonb)) with ordinality
         as e(event_id, kind, subject, data, place) order by e.place`,
      [this.tenancy.tenant, JSON.stringify(rows)],
    );
    this.announceAfterCommit();
    return rows.map((row) => row.event_id);
  }

  /** For events that are written in the open unit of work by a statement with more in it. */
  announceAfterCommit(): void {
    this.tenancy.afterCommit(() => this.announce());
  }

  /**
   * Notifies readers of new events; for events that an SQL function wrote, after its commit. At once, but no more often
   * than five times a second while commits follow each other.
   */
  announce(): void {
    if (this.announcing) return;
    this.announcing = true;
    const pause = this.announcedAt + ANNOUNCE_EVERY_MS - performance.now();
    setTimeout(
      () => {
        this.announcing = false;
        this.announcedAt = performance.now();
        // Lost with the database or at the end of the process; readers look by themselves.
        this.tenancy.call('select pg_notify($1, $2)', [OUTBOX_CHANNEL, '']).catch(() => undefined);
      },
      Math.max(GATHER_MS, pause),
    ).unref();
  }
}

import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
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

/** NOTIFY on this channel: events were committed. Only a hint: readers of events also poll every second. */
export const OUTBOX_CHANNEL = 'svc_outbox';
/**
 * Commits that are close together share a notification: PostgreSQL lets only one transaction that notifies commit at a
 * time.
 */
const GATHER_MS = 10;

/** Events written in the unit of work whose effect they report, so that they exist exactly when it does (D25). */
@Injectable()
export class Outbox {
  private announcing = false;

  constructor(private readonly tenancy: Tenancy) {}

  /** @returns the event's id, by which consumers know a second delivery */
  async emit(event: OutboxEvent): Promise<string> {
    const [eventId] = await this.emitMany([event]);
    return eventId!;
  }

  /** Writes events in their order, in one statement. @returns their ids */
  async emitMany(events: readonly OutboxEvent[]): Promise<string[]> {
    if (events.length === 0) return [];
    const rows = events.map((event) => ({ ...event, event_id: uuid() }));
    await this.tenancy.query(
      `insert into outbox_event (tenant_id, event_id, kind, subject, data)
       select $1, e.event_id, e.kind, e.subject, e.data
       from rows from (jsonb_to_recordset($2::jsonb) as (event_id uuid, kind text, subject text, data jsonb)) with ordinality
         as e(event_id, kind, subject, data, place) order by e.place`,
      [this.tenancy.tenant, JSON.stringify(rows)],
    );
    this.tenancy.afterCommit(() => this.announce());
    return rows.map((row) => row.event_id);
  }

  /** Notifies readers of new events; for events that an SQL function wrote, after its commit. */
  announce(): void {
    if (this.announcing) return;
    this.announcing = true;
    setTimeout(() => {
      this.announcing = false;
      // Lost with the database or at the end of the process; readers look by themselves.
      this.tenancy.call('select pg_notify($1, $2)', [OUTBOX_CHANNEL, '']).catch(() => undefined);
    }, GATHER_MS).unref();
  }
}

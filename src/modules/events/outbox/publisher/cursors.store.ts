import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import type { EventPosition, StoredEvent } from '../outbox.types.js';

export type Cursor = EventPosition;

export interface EventRow {
  tenant_id: string;
  event_id: string;
  kind: string;
  subject: string;
  data: Record<string, unknown>;
  occurred_at: Date;
  transaction: string;
  position: string;
}

export const EVENT_COLUMNS =
  'tenant_id, event_id, kind, subject, data, occurred_at, transaction::text as transaction, position::text as position';
/** SQL of whether events stand behind the cursor of a sink. @param sink a constant of the code */
export const areEventsBehind = (sink: string): string =>
  `exists (select from outbox_cursor c cross join lateral (select from outbox_event o
     where (o.transaction, o.position) > (c.transaction, c.position) order by o.transaction, o.position limit 1) next
   where c.sink = '${sink}')`;

/** Nothing can commit below this line any more: a reader that stays below it misses none. */
export const BELOW_THE_LINE = 'transaction < pg_snapshot_xmin(pg_current_snapshot())';

export const eventOf = (row: EventRow): StoredEvent => ({
  tenantId: row.tenant_id,
  eventId: row.event_id,
  kind: row.kind,
  subject: row.subject,
  data: row.data,
  occurredAt: row.occurred_at,
  transaction: row.transaction,
  position: row.position,
});

const between = (tenants: string | undefined): string =>
  `(transaction, position) > ($1::xid8, $2::bigint) and (transaction, position) <= ($3::xid8, $4::bigint)
    ${tenants === undefined ? '' : `and tenant_id in (${tenants})`}`;

/** Rows of the outbox as its readers go through them, over all tenants. */
export class CursorsStore {
  constructor(private readonly query: Query) {}

  async make(sink: string): Promise<void> {
    await this.query('insert into outbox_cursor (sink) values ($1) on conflict do nothing', [sink]);
  }

  /**
   * Makes this transaction the one that serves the sink, unless another one does. Its process may be killed: the lock
   * ends with the connection.
   */
  async tryServe(sink: string): Promise<boolean> {
    const [row] = await this.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('svc outbox ' || $1::text, 0)) as held`,
      [sink],
    );
    return row?.held === true;
  }

  async read(sink: string): Promise<Cursor | undefined> {
    const [row] = await this.query<Cursor>(
      'select transaction::text as transaction, position::text as position from outbox_cursor where sink = $1',
      [sink],
    );
    return row;
  }

  /**
   * After a restore by other means than `svc restore` the rows may bear transaction ids that are still to come: once,
   * and while nobody writes, they are moved below all that is new.
   */
  async rebaseWhenRestored(): Promise<void> {
    if (!(await this.isAhead())) return;
    await this.query('lock table outbox_event in share row exclusive mode');
    if (await this.isAhead()) await this.query('select svc_rebase_events()');
  }

  /** The place behind the next events, so many at most; undefined when there are none. */
  async findNext({ transaction, position }: Cursor, limit: number): Promise<Cursor | undefined> {
    const [row] = await this.query<Cursor>(
      `select transaction::text as transaction, position::text as position from (
         select o.transaction, o.position from outbox_event o
         where (o.transaction, o.position) > ($1::xid8, $2::bigint) and ${BELOW_THE_LINE}
         order by o.transaction, o.position limit $3) step
       order by step.transaction desc, step.position desc limit 1`,
      [transaction, position, limit],
    );
    return row;
  }

  /**
   * The events after one position up to another that `findNext` returned.
   * @param tenants SQL of those whose events are wanted; without it all
   */
  async readTo(from: Cursor, to: Cursor, tenants?: string): Promise<StoredEvent[]> {
    const rows = await this.query<EventRow>(
      `select ${EVENT_COLUMNS} from outbox_event where ${between(tenants)}
       order by outbox_event.transaction, outbox_event.position`,
      [from.transaction, from.position, to.transaction, to.position],
    );
    return rows.map(eventOf);
  }

  /** Whose events those are, in order. */
  async tenantsTo(from: Cursor, to: Cursor, tenants?: string): Promise<string[]> {
    const rows = await this.query<{ tenant_id: string }>(
      `select distinct tenant_id from outbox_event where ${between(tenants)} order by tenant_id`,
      [from.transaction, from.position, to.transaction, to.position],
    );
    return rows.map(({ tenant_id }) => tenant_id);
  }

  /**
   * Whether events are committed that an older transaction, still running, keeps back. Only the newest is looked at:
   * without its order all would be.
   */
  async isHeldBack(): Promise<boolean> {
    const [row] = await this.query<{ held: boolean }>(
      `select exists (select from (select transaction from outbox_event order by transaction desc, position desc limit 1) newest
         where not (${BELOW_THE_LINE})) as held`,
    );
    return row?.held === true;
  }

  /** Whether a reader or an event stands ahead of every transaction of this database. */
  private async isAhead(): Promise<boolean> {
    const [row] = await this.query<{ ahead: boolean }>(
      `select exists (select from outbox_cursor where transaction >= pg_snapshot_xmax(pg_current_snapshot()))
         or coalesce((select transaction from outbox_event order by transaction desc limit 1) >= pg_snapshot_xmax(pg_current_snapshot()), false) as ahead`,
    );
    return row?.ahead === true;
  }

  async move(sink: string, { transaction, position }: Cursor): Promise<void> {
    await this.query(
      'update outbox_cursor set transaction = $2::xid8, position = $3::bigint, moved_at = now() where sink = $1',
      [sink, transaction, position],
    );
  }

  /**
   * Like move, for events that nobody wanted: nothing is lost when a crash takes it back, so that no writer has to wait
   * for the disk because of it.
   */
  async passOver(sink: string, place: Cursor): Promise<void> {
    await this.query('set local synchronous_commit = off');
    await this.move(sink, place);
  }

  /** How far the sink is behind; counting stops at the limit. */
  async lag(sink: string, limit: number): Promise<{ events: number; seconds: number }> {
    const [row] = await this.query<{ events: number; seconds: number | null }>(
      `select count(*)::int as events, extract(epoch from now() - min(e.occurred_at))::float8 as seconds from (
         select o.occurred_at from outbox_event o, outbox_cursor c
         where c.sink = $1 and (o.transaction, o.position) > (c.transaction, c.position)
         order by o.transaction, o.position limit $2) e`,
      [sink, limit],
    );
    return { events: row?.events ?? 0, seconds: Math.max(0, row?.seconds ?? 0) };
  }

  /** Removes old events that every one of the sinks has passed. @returns how many */
  async sweep(sinks: readonly string[], days: number, limit: number): Promise<number> {
    const rows = await this.query(
      `delete from outbox_event where ctid = any(array(
         select o.ctid from outbox_event o
         where o.occurred_at < now() - $2 * interval '1 day' and not exists (
           select from unnest($1::text[]) s(sink) left join outbox_cursor c using (sink)
           where c.sink is null or (o.transaction, o.position) > (c.transaction, c.position))
         limit $3)) returning 1`,
      [sinks, days, limit],
    );
    return rows.length;
  }
}

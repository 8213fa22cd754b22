import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { StoredEvent } from '../outbox.types.js';
import { BELOW_THE_LINE, EVENT_COLUMNS, eventOf, type Cursor, type EventRow } from '../publisher/cursors.store.js';

export interface EventFilter {
  kind?: string;
  subject?: string;
  since?: string;
}

/** Events by what their kinds begin with. */
export interface FamilyFilter {
  /** Constants of the code. */
  families: readonly string[];
  /** The work item they are about. */
  about?: string | undefined;
}

/** Events by whatever of them; what is undefined does not filter. */
export interface SearchFilter {
  kind?: string | undefined;
  subject?: string | undefined;
  /** Any of these, of the data. */
  actors?: readonly string[] | undefined;
  /** Of the data, or the subject; what goes on after it with a slash or a colon is meant too. */
  entity?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** Events that one search with a filter looks at: what finds little must not read all there is. */
const MAX_LOOKED = 20_000;

/** The tenant's events that no later commit can come before. */
@Injectable()
export class EventsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async list({ kind, subject, since }: EventFilter, after: Cursor, limit: number): Promise<StoredEvent[]> {
    const rows = await this.tenancy.query<EventRow>(
      `select ${EVENT_COLUMNS} from outbox_event
       where tenant_id = $1 and (transaction, position) > ($2::xid8, $3::bigint) and ${BELOW_THE_LINE}
         and ($4::text is null or case when $4 like '%.*' then starts_with(kind, left($4, -1)) else kind = $4 end)
         and ($5::text is null or subject = $5) and ($6::timestamptz is null or occurred_at >= $6)
       order by outbox_event.transaction, outbox_event.position limit $7`,
      [this.tenancy.tenant, after.transaction, after.position, kind ?? null, subject ?? null, since ?? null, limit],
    );
    return rows.map(eventOf);
  }

  /**
   * The newest of some families of kinds, before a position. The families and the id stand in the statement as the
   * indexes outbox_event_coordination and outbox_event_work have them: it is by those that few are found among many.
   */
  async listNewest({ families, about }: FamilyFilter, before: Cursor, limit: number): Promise<StoredEvent[]> {
    const names = families.map((family) => `'${family}'`).join(', ');
    const rows = await this.tenancy.query<EventRow>(
      `select ${EVENT_COLUMNS} from outbox_event
       where tenant_id = $1 and split_part(kind, '.', 1) = any (array[${names}]) and ${BELOW_THE_LINE}
         and (transaction, position) < ($2::xid8, $3::bigint)
         ${about === undefined ? '' : `and coalesce(data ->> 'workId', data ->> 'work_id', subject) = $5`}
       order by outbox_event.transaction desc, outbox_event.position desc limit $4`,
      [...[this.tenancy.tenant, before.transaction, before.position, limit], ...(about === undefined ? [] : [about])],
    );
    return rows.map(eventOf);
  }

  /** A page of what a filter finds among the newest before a position, and where to go on, while there may be more. */
  async search(
    filter: SearchFilter,
    before: Cursor,
    limit: number,
  ): Promise<{ events: StoredEvent[]; next: Cursor | undefined }> {
    const { kind, subject, actors, entity, since, until } = filter;
    const given = [kind, subject, actors, entity, since, until].map((value) => value ?? null);
    const most = given.every((value) => value === null) ? limit + 1 : MAX_LOOKED;
    const rows = await this.tenancy.query<EventRow & { looked: number; last: Cursor | null }>(SEARCH, [
      ...[this.tenancy.tenant, before.transaction, before.position, ...given, most, limit + 1],
    ]);
    const { looked = 0, last = null } = rows[0] ?? {};
    const found = rows.filter((row) => row.event_id !== null).map(eventOf);
    const events = found.slice(0, limit);
    if (found.length > limit) return { events, next: events.at(-1) };
    return { events, next: looked === most ? (last ?? undefined) : undefined };
  }

  /** The position before which everything is certain: what is yet to be seen comes after it. */
  async line(): Promise<Cursor> {
    const [row] = await this.tenancy.query<Cursor>(
      `select pg_snapshot_xmin(pg_current_snapshot())::text as transaction, '0' as position`,
    );
    return row!;
  }

  /**
   * Whether a cursor can be one of this database: none is ahead of its transactions, or of before its last restore,
   * which left the transaction 3 to all that had happened. What came behind such a one cannot be said any more.
   */
  async isPast({ transaction, position }: Cursor): Promise<boolean> {
    const [row] = await this.tenancy.query<{ past: boolean }>(
      `select $1::xid8 < pg_snapshot_xmax(pg_current_snapshot())
         and ($1::xid8 <= '3' or $2::bigint > coalesce((select r.position from outbox_restore r), 0)) as past`,
      [transaction, position],
    );
    return row?.past === true;
  }
}

/** Whether or not anything is found, one row says how much was looked at, and up to where. */
const SEARCH = `
  with looked as materialized (
    select ${EVENT_COLUMNS} , outbox_event.transaction as at, outbox_event.position as place from outbox_event
    where tenant_id = $1 and ${BELOW_THE_LINE} and (transaction, position) < ($2::xid8, $3::bigint) and ($5::text is null or subject = $5)
    order by outbox_event.transaction desc, outbox_event.position desc limit $10
  ), found as (
    select * from looked where ($4::text is null or case when $4 like '%.*' then starts_with(kind, left($4, -1)) else kind = $4 end)
      and ($6::text[] is null or data ->> 'actor' = any($6))
      and ($7::text is null or data ->> 'entity' = $7 or subject = $7 or starts_with(data ->> 'entity', $7 || '/') or starts_with(data ->> 'entity', $7 || ':')
        or starts_with(subject, $7 || '/') or starts_with(subject, $7 || ':'))
      and ($8::timestamptz is null or occurred_at >= $8) and ($9::timestamptz is null or occurred_at < $9)
    order by at desc, place desc limit $11
  )
  select f.tenant_id, f.event_id, f.kind, f.subject, f.data, f.occurred_at, f.transaction, f.position, l.looked, l.last
  from (select count(*)::int as looked,
      (select json_build_object('transaction', transaction, 'position', position) from looked order by at, place limit 1) as last from looked) l
    left join found f on true order by f.at desc, f.place desc`;

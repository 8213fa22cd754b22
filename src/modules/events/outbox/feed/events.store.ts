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

  /** The position before which everything is certain: what is yet to be seen comes after it. */
  async line(): Promise<Cursor> {
    const [row] = await this.tenancy.query<Cursor>(
      `select pg_snapshot_xmin(pg_current_snapshot())::text as transaction, '0' as position`,
    );
    return row!;
  }

  /** Whether a cursor can be one of this database: none is ahead of its transactions. */
  async isPast({ transaction }: Cursor): Promise<boolean> {
    const [row] = await this.tenancy.query<{ past: boolean }>(
      'select $1::xid8 < pg_snapshot_xmax(pg_current_snapshot()) as past',
      [transaction],
    );
    return row?.past === true;
  }
}

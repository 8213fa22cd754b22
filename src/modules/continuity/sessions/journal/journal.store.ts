import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { JournalDraft, JournalEntry, JournalType } from './journal.types.js';

export interface JournalFilter {
  type?: JournalType;
  subject?: string;
  /** Milliseconds since 1970, of the recording: from inclusive, to exclusive. */
  fromMs?: number;
  toMs?: number;
}

export interface JournalPage {
  newestFirst: boolean;
  /** The seq of the last entry of the page before. */
  after?: number;
  limit: number;
}

const COLUMNS = 'seq, entry_id, event_id, type, subject, data, source, actor, occurred_at, recorded_at';

/** Journal entries: only ever added. */
@Injectable()
export class JournalStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Adds the next entry of a home that is held. */
  async append(homeId: string, draft: JournalDraft): Promise<JournalEntry> {
    const [row] = await this.tenancy.query<EntryRow>(
      `with next as (
         update agent_home set journal_seq = journal_seq + 1 where tenant_id = $1 and home_id = $2 returning journal_seq
       )
       insert into journal_entry (tenant_id, home_id, seq, entry_id, event_id, type, subject, data, source, actor, occurred_at)
       select $1, $2, journal_seq, $3, $4, $5, $6, $7, $8, $9, coalesce($10, clock_timestamp()) from next returning ${COLUMNS}`,
      [
        this.tenancy.tenant,
        homeId,
        uuid(),
        draft.eventId ?? null,
        draft.type,
        draft.subject,
        JSON.stringify(draft.data),
        draft.source,
        draft.actor ?? null,
        draft.occurredAt ?? null,
      ],
    );
    return entryOf(row!);
  }

  async findEvent(homeId: string, eventId: string): Promise<JournalEntry | undefined> {
    const [row] = await this.tenancy.query<EntryRow>(
      `select ${COLUMNS} from journal_entry where tenant_id = $1 and home_id = $2 and event_id = $3`,
      [this.tenancy.tenant, homeId, eventId],
    );
    return row && entryOf(row);
  }

  async find(homeId: string, filter: JournalFilter, page: JournalPage): Promise<JournalEntry[]> {
    const [beyond, direction] = page.newestFirst ? ['<', 'desc'] : ['>', 'asc'];
    const rows = await this.tenancy.query<EntryRow>(
      `select ${COLUMNS} from journal_entry
       where tenant_id = $1 and home_id = $2 and ($3::text is null or type = $3) and ($4::text is null or subject = $4)
         and ($5::float8 is null or recorded_at >= timestamptz 'epoch' + $5 * interval '1 millisecond')
         and ($6::float8 is null or recorded_at < timestamptz 'epoch' + $6 * interval '1 millisecond')
         and ($7::bigint is null or seq ${beyond} $7)
       order by seq ${direction} limit $8`,
      [
        this.tenancy.tenant,
        homeId,
        filter.type ?? null,
        filter.subject ?? null,
        filter.fromMs ?? null,
        filter.toMs ?? null,
        page.after ?? null,
        page.limit,
      ],
    );
    return rows.map(entryOf);
  }

  /** How many entries a home has: its numbers have no gaps. */
  async count(homeId: string): Promise<number> {
    const [row] = await this.tenancy.query<{ journal_seq: string }>(
      'select journal_seq from agent_home where tenant_id = $1 and home_id = $2',
      [this.tenancy.tenant, homeId],
    );
    return Number(row?.journal_seq ?? 0);
  }
}

interface EntryRow {
  seq: string;
  entry_id: string;
  event_id: string | null;
  type: JournalType;
  subject: string;
  data: Record<string, unknown>;
  source: string;
  actor: string | null;
  occurred_at: Date;
  recorded_at: Date;
}

const entryOf = (row: EntryRow): JournalEntry => ({
  seq: Number(row.seq),
  entryId: row.entry_id,
  eventId: row.event_id,
  type: row.type,
  subject: row.subject,
  data: row.data,
  source: row.source,
  actor: row.actor,
  occurredAt: row.occurred_at,
  recordedAt: row.recorded_at,
});

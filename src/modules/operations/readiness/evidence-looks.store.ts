import { Injectable } from '@nestjs/common';
import type { LookPlace } from '../../../common/evidence-log/evidence-look.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** A look as another process left it. */
export interface KeptLook {
  readonly place: LookPlace;
  readonly bits: Buffer;
}

/** How long a process has the look after it was heard of last. */
const LEASE = `interval '30 seconds'`;

/** The one row of evidence_look. */
@Injectable()
export class EvidenceLooksStore {
  constructor(private readonly crossTenant: CrossTenant) {}

  /**
   * Takes the look for a process, or keeps it.
   * @returns when it began; undefined while another process has it
   */
  async hold(holder: string): Promise<Date | undefined> {
    const [row] = await this.query<{ began_at: Date }>(HOLD, [holder]);
    return row?.began_at;
  }

  /** When the last whole look of any process ended; null before the first one has. */
  async readEnd(): Promise<{ at: Date | null }> {
    const [row] = await this.query<{ at: Date | null }>('select max(ended_at) as at from evidence_look');
    return row!;
  }

  async find(): Promise<KeptLook | undefined> {
    const [row] = await this.query<{ place: LookPlace; leaves_seen: Buffer }>(
      'select place, leaves_seen from evidence_look where place is not null',
    );
    return row && { place: row.place, bits: row.leaves_seen };
  }

  /** @returns when that is */
  async begin(): Promise<Date> {
    const [row] = await this.query<{ began_at: Date }>(
      'update evidence_look set began_at = now(), place = null, leaves_seen = null returning began_at',
    );
    return row!.began_at;
  }

  async keep({ place, bits }: KeptLook): Promise<void> {
    await this.query('update evidence_look set place = $1, leaves_seen = $2', [JSON.stringify(place), bits]);
  }

  async end(examined: number, findings: number): Promise<void> {
    await this.query(
      `update evidence_look set place = null, leaves_seen = null, ended_at = now(), ended_examined = $1, ended_findings = $2`,
      [examined, findings],
    );
  }

  /** Rows that a whole look goes over, as the planner knows them. */
  async estimateRows(tables: readonly string[]): Promise<number> {
    const [row] = await this.query<{ rows: number }>(
      `select coalesce(sum(greatest(reltuples, 0)), 0)::float8 as rows from pg_class where oid = any($1::regclass[])`,
      [tables],
    );
    return row!.rows;
  }

  /**
   * Another text whenever a row of the tables is inserted, changed or deleted, as PostgreSQL counts them: within about
   * ten seconds, and unless a session turns its counters off.
   */
  async readChanges(tables: readonly string[]): Promise<string> {
    const [row] = await this.query<{ changes: string }>(
      `select coalesce(sum(n_tup_ins), 0) || ' ' || coalesce(sum(n_tup_upd), 0) || ' ' || coalesce(sum(n_tup_del), 0) || ' ' || count(*) as changes
       from pg_stat_user_tables where relid = any($1::regclass[])`,
      [tables],
    );
    return row!.changes;
  }

  async countFindings(): Promise<{ check: string; findings: number }[]> {
    return this.query(
      `select substr(source, length('evidence.') + 1) as check, count(*)::int as findings from corruption_finding
       where cleared_at is null and source like 'evidence.%' group by 1 order by 1`,
    );
  }

  private query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.crossTenant.run('evidence look', (query) => query<Row>(sql, parameters));
  }
}

const HOLD = `
  insert into evidence_look as l (holder, held_until, began_at) values ($1, now() + ${LEASE}, now())
  on conflict (only_one) do update set holder = $1, held_until = now() + ${LEASE} where l.holder = $1 or l.held_until < now()
  returning began_at`;

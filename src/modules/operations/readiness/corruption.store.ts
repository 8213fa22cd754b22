import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** What is found damaged: `segment`, `pg_checksum`; what a check of the evidence finds amiss: `evidence.<check>`. */
export type CorruptionSource = 'segment' | 'pg_checksum' | `evidence.${string}`;

export interface CorruptionFound {
  readonly source: CorruptionSource;
  readonly subject: string;
  readonly detail: string;
}

/** Rows of corruption_finding. */
@Injectable()
export class CorruptionStore {
  constructor(private readonly crossTenant: CrossTenant) {}

  /** @returns how many of these were not known already */
  record(source: CorruptionSource, subjects: readonly string[], detail: string): Promise<number> {
    return this.recordEach(subjects.map((subject) => ({ source, subject, detail })));
  }

  /** The same of findings of several sources. */
  async recordEach(found: readonly CorruptionFound[]): Promise<number> {
    if (found.length === 0) return 0;
    const once = [...new Map(found.map((one) => [`${one.source} ${one.subject}`, one])).values()];
    const rows = await this.crossTenant.run('corruption', (query) =>
      query<{ is_new: boolean }>(RECORD, [
        once.map(({ source }) => source),
        once.map(({ subject }) => subject),
        once.map(({ detail }) => detail),
      ]),
    );
    return rows.filter(({ is_new }) => is_new).length;
  }

  /**
   * What a look at the same place found good since.
   * @param before of findings last seen before this; all when it is left out
   */
  async clear(sources: string, before?: Date): Promise<void> {
    await this.crossTenant.run('corruption', (query) => query(CLEAR, [sources, before ?? null]));
  }

  /** Failures of PostgreSQL's page checksums since the last that was recorded, in this database and what all share. */
  async countNewChecksumFailures(): Promise<number> {
    const [row] = await this.crossTenant.run('corruption', (query) => query<{ failures: string }>(NEW_FAILURES));
    return Number(row?.failures ?? 0);
  }
}

const RECORD = `
  insert into corruption_finding as f (source, subject, detail)
  select * from unnest($1::text[], $2::text[], $3::text[])
  on conflict (source, subject) where cleared_at is null do update set seen_at = now()
  returning f.xmax = 0 as is_new`;
const CLEAR = `
  update corruption_finding set cleared_at = now()
  where cleared_at is null and source like $1 and ($2::timestamptz is null or seen_at < $2)`;

/** The counter only grows until the statistics are reset; a recorded failure has its count as the subject. */
const NEW_FAILURES = `
  select case when now.failures > coalesce(known.failures, 0) then now.failures else 0 end as failures
  from (select coalesce(sum(checksum_failures), 0) as failures, max(stats_reset) as since
        from pg_stat_database where datid in (0, (select oid from pg_database where datname = current_database()))) now,
    lateral (select max(subject::numeric) as failures from corruption_finding
             where source = 'pg_checksum' and found_at >= coalesce(now.since, '-infinity')) known`;

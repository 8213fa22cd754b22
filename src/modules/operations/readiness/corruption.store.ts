import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** What is found damaged: `segment`, `pg_checksum`. */
export type CorruptionSource = 'segment' | 'pg_checksum';

/** Rows of corruption_finding. */
@Injectable()
export class CorruptionStore {
  constructor(private readonly crossTenant: CrossTenant) {}

  /** @returns how many of these were not known already */
  async record(source: CorruptionSource, subjects: readonly string[], detail: string): Promise<number> {
    if (subjects.length === 0) return 0;
    const rows = await this.crossTenant.run('corruption', (query) => query(RECORD, [source, subjects, detail]));
    return rows.length;
  }

  /** Failures of PostgreSQL's page checksums since the last that was recorded, in this database and what all share. */
  async countNewChecksumFailures(): Promise<number> {
    const [row] = await this.crossTenant.run('corruption', (query) => query<{ failures: string }>(NEW_FAILURES));
    return Number(row?.failures ?? 0);
  }
}

const RECORD = `
  insert into corruption_finding (source, subject, detail)
  select $1, subject, $3 from unnest($2::text[]) subject
  on conflict (source, subject) where cleared_at is null do nothing
  returning 1`;

/** The counter only grows until the statistics are reset; a recorded failure has its count as the subject. */
const NEW_FAILURES = `
  select case when now.failures > coalesce(known.failures, 0) then now.failures else 0 end as failures
  from (select coalesce(sum(checksum_failures), 0) as failures, max(stats_reset) as since
        from pg_stat_database where datid in (0, (select oid from pg_database where datname = current_database()))) now,
    lateral (select max(subject::numeric) as failures from corruption_finding
             where source = 'pg_checksum' and found_at >= coalesce(now.since, '-infinity')) known`;

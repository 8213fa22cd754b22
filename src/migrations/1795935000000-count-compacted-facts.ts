import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The head of a chain of facts counts the versions that compaction removed: what else is not there was deleted. */
export class CountCompactedFacts1795935000000 implements MigrationInterface {
  name = 'CountCompactedFacts1795935000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table fact_head add compacted int not null default 0');
    for (const table of TABLES) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(COUNT_EARLIER);
    for (const table of TABLES) await runner.query(`alter table ${table} force row level security`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table fact_head drop compacted');
  }
}

const TABLES = ['fact', 'fact_head', 'erased_fact', 'erasure'];

/**
 * Compactions of before named leaves alone, and no chains. Where a tenant lacks as many versions as compactions of it
 * announced, they are those; where it does not, some were deleted in another way, and none is counted.
 */
const COUNT_EARLIER = `
  with announced as (
    select e.tenant_id, count(*) as leaves from erased_fact e
    where not exists (select from erasure x where x.tenant_id = e.tenant_id and x.erasure_id = e.erasure_id) group by 1
  ), missing as (
    select h.tenant_id, h.chain, h.version - count(f.seq) as versions
    from announced a join fact_head h using (tenant_id) left join fact f on f.tenant_id = h.tenant_id and f.chain = h.chain
    group by h.tenant_id, h.chain, h.version having h.version <> count(f.seq)
  ), accounted as (
    select m.tenant_id from missing m join announced a using (tenant_id)
    group by m.tenant_id, a.leaves having min(m.versions) > 0 and sum(m.versions) = a.leaves
  )
  update fact_head h set compacted = m.versions
  from missing m join accounted using (tenant_id) where h.tenant_id = m.tenant_id and h.chain = m.chain`;

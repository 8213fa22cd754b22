import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was found damaged, until the operator clears it: a restart clears nothing. It holds ids and no tenant's data, and only the operator role sees
 * it.
 */
export class CreateCorruptionFindings1795305000000 implements MigrationInterface {
  name = 'CreateCorruptionFindings1795305000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table corruption_finding (
        finding_id bigint generated always as identity primary key,
        -- What kind of stored thing: segment, pg_checksum.
        source text not null,
        subject text not null,
        detail text not null,
        found_at timestamptz not null default now(),
        cleared_at timestamptz
      );
      -- Found again and again, it is one finding; found after it was cleared, it is a new one.
      create unique index corruption_finding_open on corruption_finding (source, subject) where cleared_at is null;
      grant select, insert, update on corruption_finding to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table corruption_finding');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An ingest is updated twice soon after it was inserted. With free space in its page an update writes no index (PostgreSQL,
 * "Heap-Only Tuples"). Nothing reads unfinished ingests by time, and an index on what every ingest changes keeps its
 * updates from that. What becomes known of a version when it is indexed stands in the row of its document, which changes
 * then anyway: the row of a version, with its text, is written once.
 */
export class WriteVersionsOnce1795925000000 implements MigrationInterface {
  name = 'WriteVersionsOnce1795925000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of the version in search. Null where that was indexed before this column was there: then its own row has it.
      alter table document add column chunk_count int;
      alter table ingest set (fillfactor = 50);
      drop index ingest_unfinished;
      -- Programs before this one read the number of passages elsewhere, and cannot read the segments of the index.
      update schema_compatibility set oldest_program = 1795925000000;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index ingest_unfinished on ingest (tenant_id, accepted_at) where finished_at is null;
      alter table ingest reset (fillfactor);
      alter table document drop column chunk_count;
    `);
  }
}

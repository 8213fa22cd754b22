import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An erasure that takes a sealed segment leaves its number and digest: copies on other nodes go on behind it. */
export class KeepPlacesOfErasedSegments1795936000000 implements MigrationInterface {
  name = 'KeepPlacesOfErasedSegments1795936000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table erased_segment (
        tenant_id text not null,
        -- The node that sealed it; empty: this one.
        node_id text collate "C" not null,
        segment_seq bigint not null,
        digest bytea not null check (length(digest) = 32),
        erasure_id uuid not null,
        primary key (tenant_id, node_id, segment_seq)
      );
      select svc_secure_table('erased_segment');
      revoke insert, update, delete on erased_segment from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table erased_segment');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What POST /v1/local/ingest took in, call by call, sealed: docs/formats/segments.md. */
export class CreateSealedSegments1795303100000 implements MigrationInterface {
  name = 'CreateSealedSegments1795303100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- segment_seq counts from 1 without gaps in a tenant. digest is BLAKE3 of frames; the signed receipt says it too.
      create table sealed_segment (
        tenant_id text not null,
        segment_seq bigint not null check (segment_seq >= 1),
        corpus_id text not null,
        frame_count int not null check (frame_count >= 1),
        frames bytea not null,
        digest bytea not null check (length(digest) = 32),
        sealed_at timestamptz not null,
        receipt_id uuid not null,
        primary key (tenant_id, segment_seq)
      );
      select svc_secure_table('sealed_segment');
      revoke update, delete on sealed_segment from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sealed_segment');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that were accepted and whose text is not read yet, and those of which none could be read. */
export class CreateIngestFiles1795910000000 implements MigrationInterface {
  name = 'CreateIngestFiles1795910000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ingest_file (
        tenant_id text not null,
        ingest_id uuid not null,
        corpus_id text not null check (length(corpus_id) between 1 and 512),
        doc_id text not null check (length(doc_id) between 1 and 512),
        -- As stated, each, if at all.
        file_name text,
        media_type text,
        title text,
        url text,
        shareability text not null check (shareability in ('owner_only', 'entitled_only', 'public_safe')),
        metadata jsonb,
        digest bytea not null check (length(digest) = 32),
        size int not null,
        -- Gone with the end: the text stands in document_version, and a file that failed is its sender's to keep.
        content bytea,
        status text not null default 'queued' check (status in ('queued', 'processing', 'failed')),
        error text,
        accepted_by text not null,
        auth_mode text not null,
        agent_session text,
        accepted_at timestamptz not null default now(),
        finished_at timestamptz,
        primary key (tenant_id, ingest_id),
        check ((content is null) = (status = 'failed'))
      );
      -- Files are compressed already.
      alter table ingest_file alter column content set storage external;
      create index ingest_file_waiting on ingest_file (tenant_id, corpus_id, doc_id, ingest_id) where finished_at is null;
      select svc_secure_table('ingest_file');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table ingest_file');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Corpora, documents and their versions, ingests, and the passages that search finds. */
export class CreateIngest1795200200000 implements MigrationInterface {
  name = 'CreateIngest1795200200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table corpus (
        tenant_id text not null,
        corpus_id text not null check (length(corpus_id) between 1 and 512),
        language text not null default 'english',
        created_at timestamptz not null default now(),
        primary key (tenant_id, corpus_id)
      );
      select svc_secure_table('corpus');

      -- latest_version counts accepted versions; current_version is the one in search, if any. latest_digest is what a repeat is known by.
      create table document (
        tenant_id text not null,
        corpus_id text not null,
        doc_id text not null check (length(doc_id) between 1 and 512),
        latest_version int not null default 0,
        latest_digest bytea,
        current_version int,
        withdrawn_version int not null default 0,
        shareability text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deleted_at timestamptz,
        primary key (tenant_id, corpus_id, doc_id),
        foreign key (tenant_id, corpus_id) references corpus
      );
      create index document_by_update on document (tenant_id, updated_at, corpus_id, doc_id) where current_version is not null;
      select svc_secure_table('document');

      create table document_version (
        tenant_id text not null,
        corpus_id text not null,
        doc_id text not null,
        version int not null,
        title text not null,
        url text,
        content text not null,
        content_hash bytea not null,
        shareability text not null check (shareability in ('owner_only', 'entitled_only', 'public_safe')),
        metadata jsonb,
        source_suggestion_id uuid,
        accepted_by text not null,
        accepted_at timestamptz not null default now(),
        chunk_count int,
        indexed_at timestamptz,
        retired_at timestamptz,
        primary key (tenant_id, corpus_id, doc_id, version),
        foreign key (tenant_id, corpus_id, doc_id) references document
      );
      select svc_secure_table('document_version');

      create table ingest (
        tenant_id text not null,
        ingest_id uuid not null,
        corpus_id text not null,
        doc_id text not null,
        version int not null,
        status text not null default 'queued' check (status in ('queued', 'processing', 'completed', 'failed')),
        error text,
        attempts int not null default 0,
        receipt_id uuid not null,
        accepted_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        primary key (tenant_id, ingest_id)
      );
      create index ingest_by_document on ingest (tenant_id, corpus_id, doc_id, version);
      create index ingest_unfinished on ingest (tenant_id, accepted_at) where finished_at is null;
      select svc_secure_table('ingest');

      -- Passages of replaced versions stay: citations and proofs refer to them.
      create table chunk (
        tenant_id text not null,
        chunk_id text not null,
        corpus_id text not null,
        doc_id text not null,
        version int not null,
        ordinal int not null,
        start_offset int not null,
        end_offset int not null,
        heading_path text[] not null,
        title text,
        url text,
        content text not null,
        content_hash bytea not null check (length(content_hash) = 32),
        shareability text not null,
        language text not null,
        day int not null,
        retired_at timestamptz,
        primary key (tenant_id, chunk_id)
      );
      create index chunk_by_document on chunk (tenant_id, corpus_id, doc_id, version, ordinal);
      select svc_secure_table('chunk');

      -- Another tenant's shared passages are readable, never writable. Of entitlements only the caller's own count.
      create policy shared_rows on chunk for select to svc_app using (
        nullif(current_setting('svc.tenant_id', true), '') is not null and (
          shareability = 'public_safe'
          or shareability = 'entitled_only' and exists (
            select from entitlement e where e.publisher_tenant_id = chunk.tenant_id and e.corpus_id = chunk.corpus_id)));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table chunk, ingest, document_version, document, corpus');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Candidates of memory that were found in texts, and the extractions that found them. */
export class CreateCandidates1795610000000 implements MigrationInterface {
  name = 'CreateCandidates1795610000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table extraction (
        tenant_id text not null,
        extraction_id uuid not null,
        -- Named by the client, so that a lost answer can be asked for again.
        operation_id text,
        -- Of the request with its secrets masked: nothing here can be guessed from.
        request_digest bytea not null,
        profile text not null,
        counts json not null,
        receipt_id uuid not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, extraction_id)
      );
      create unique index extraction_operation on extraction (tenant_id, operation_id);
      select svc_secure_table('extraction');
      revoke update, delete on extraction from svc_app, svc_operator;

      create table candidate (
        tenant_id text not null,
        candidate_id uuid not null,
        -- Null: consolidation found it.
        extraction_id uuid,
        action text not null default 'store' constraint candidate_action_check check (action in ('store', 'retire')),
        entity text not null,
        key text not null,
        value text not null,
        confidence real not null,
        profile text not null,
        extractor json not null,
        status text not null default 'pending'
          constraint candidate_status_check check (status in ('pending', 'promoted', 'rejected', 'superseded', 'expired')),
        resolution text not null constraint candidate_resolution_check check (resolution in ('new', 'duplicate', 'conflict')),
        evidence json not null,
        duplicate_of uuid,
        conflicts_with uuid[] not null default '{}',
        screened json not null default '[]',
        -- Its name or value has a masked secret: it is not promoted so.
        holds_secret boolean not null default false,
        -- Of entity, key and value as they are compared; of entity and key.
        content_digest bytea not null,
        name_digest bytea not null,
        session_id text,
        session_date date,
        -- What a promotion made, what that superseded, and what it retired.
        promoted_fact_id uuid,
        superseded_fact_id uuid,
        target_fact_id uuid,
        version integer not null default 1 check (version > 0),
        receipt_id uuid not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        decided_by text,
        decided_at timestamptz,
        reviewer text,
        reason text,
        undone_at timestamptz,
        primary key (tenant_id, candidate_id)
      );
      create index candidate_list on candidate (tenant_id, status, candidate_id);
      create index candidate_name on candidate (tenant_id, name_digest) where status = 'pending';
      create unique index candidate_content on candidate (tenant_id, content_digest) where status = 'pending';
      create index candidate_extraction on candidate (tenant_id, extraction_id);
      -- What consolidation proposes of a fact it proposes once.
      create unique index candidate_target on candidate (tenant_id, target_fact_id, profile);
      create index candidate_age on candidate (created_at) where status = 'pending';
      select svc_secure_table('candidate');
      select svc_pin_table('candidate', 'array[r.entity]', '{evidence}');
      revoke delete on candidate from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table candidate; drop table extraction;');
  }
}

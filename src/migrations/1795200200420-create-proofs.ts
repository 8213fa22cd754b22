import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Proof jobs, the passages they checked, and the way to a passage by its id alone. */
export class CreateProofs1795200200420 implements MigrationInterface {
  name = 'CreateProofs1795200200420';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Passages are cited and proven by id, whoever owns them; what of them a tenant sees is the policies' to say.
      create index chunk_by_id on chunk (chunk_id);

      create table proof_job (
        tenant_id text not null,
        job_id uuid not null,
        agent_id text not null,
        mode text not null check (mode in ('light', 'verified', 'audit')),
        subject_type text not null check (subject_type in ('answer', 'document', 'chunk', 'retrieval')),
        subject_id text not null,
        subject_version integer,
        -- What the subject stood for when the job was made, where its id alone does not say it for ever.
        target jsonb not null,
        metadata jsonb,
        -- Members of the request that this server gives no meaning to.
        extra jsonb not null,
        status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
        verdict text not null default 'pending' check (verdict in ('pending', 'holds', 'drifted', 'broken')),
        checks jsonb not null default '[]',
        relies_on jsonb not null default '[]',
        chunk_count integer,
        receipt_id uuid,
        error text,
        requested_by text not null,
        auth_mode text not null,
        created_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        primary key (tenant_id, job_id)
      );
      create index proof_job_receipt on proof_job (tenant_id, receipt_id) where receipt_id is not null;
      select svc_secure_table('proof_job');

      -- The text is kept: a pack can be made as long as its receipt exists, whatever becomes of the passage.
      create table proof_job_chunk (
        tenant_id text not null,
        job_id uuid not null,
        ordinal integer not null,
        chunk_id text not null,
        owner_tenant_id text not null,
        corpus_id text not null,
        doc_id text not null,
        doc_version integer not null,
        title text,
        url text,
        content text,
        content_hash bytea not null,
        quote text,
        recorded_rank integer,
        rank integer,
        score float8,
        checks jsonb not null,
        primary key (tenant_id, job_id, ordinal),
        foreign key (tenant_id, job_id) references proof_job
      );
      select svc_secure_table('proof_job_chunk');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table proof_job_chunk, proof_job; drop index chunk_by_id;');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers and what they cite. Append-only: a further recording is a further version. */
export class CreateAnswers1795200200400 implements MigrationInterface {
  name = 'CreateAnswers1795200200400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table answer (
        tenant_id text not null,
        answer_id text not null,
        version integer not null check (version > 0),
        agent_id text not null,
        answer_text text,
        metadata jsonb,
        -- The search the answer rests on, as it was then.
        retrieval jsonb,
        receipt_id uuid not null,
        recorded_by text not null,
        recorded_at timestamptz not null default now(),
        primary key (tenant_id, answer_id, version)
      );
      select svc_secure_table('answer');

      -- The text is kept with its digest: what was cited can be replayed after its document is gone.
      create table citation (
        tenant_id text not null,
        answer_id text not null,
        version integer not null,
        ordinal integer not null,
        chunk_id text not null,
        owner_tenant_id text not null,
        corpus_id text not null,
        doc_id text not null,
        doc_version integer not null,
        title text,
        url text,
        content text not null,
        content_hash bytea not null,
        start_offset integer,
        end_offset integer,
        quote text,
        note text,
        primary key (tenant_id, answer_id, version, ordinal),
        foreign key (tenant_id, answer_id, version) references answer
      );
      create index citation_chunk on citation (tenant_id, chunk_id);
      select svc_secure_table('citation');

      revoke update, delete on answer, citation from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table citation, answer;');
  }
}

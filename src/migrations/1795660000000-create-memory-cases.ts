import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was done for a task and how it went, and the words by which a later task finds it (D44). */
export class CreateMemoryCases1795660000000 implements MigrationInterface {
  name = 'CreateMemoryCases1795660000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table memory_case (
        tenant_id text not null,
        case_id uuid not null,
        task text not null,
        action text not null,
        outcome text not null,
        context text not null default '',
        lesson text,
        success boolean not null,
        reward real not null constraint memory_case_reward_check check (reward between 0 and 1),
        tags text[] not null default '{}',
        source_receipt text,
        -- What was masked before it was stored: member, kind and span.
        screened json not null default '[]',
        content_hash text not null,
        -- In words that are searched.
        length integer not null check (length >= 0),
        receipt_id uuid not null,
        recorded_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, case_id)
      );
      create index memory_case_length on memory_case (tenant_id) include (length);
      select svc_secure_table('memory_case');
      revoke update on memory_case from svc_app, svc_operator;
      select svc_pin_table('memory_case', 'array[''case:'' || r.case_id]',
        '{task,action,outcome,context,lesson,tags,source_receipt}');

      -- The words of a case, each with its count; they go with it.
      create table memory_case_term (
        tenant_id text not null,
        term text collate "C" not null,
        case_id uuid not null,
        frequency integer not null check (frequency > 0),
        primary key (tenant_id, term, case_id),
        foreign key (tenant_id, case_id) references memory_case on delete cascade
      );
      create index memory_case_term_case on memory_case_term (tenant_id, case_id);
      select svc_secure_table('memory_case_term');
      revoke update on memory_case_term from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table memory_case_term, memory_case');
  }
}

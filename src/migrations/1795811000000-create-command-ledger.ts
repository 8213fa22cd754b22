import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The commands that agents and people say they ran, each chained to the one before. */
export class CreateCommandLedger1795811000000 implements MigrationInterface {
  name = 'CreateCommandLedger1795811000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table workbench_command (
        tenant_id text not null,
        seq bigint not null check (seq > 0),
        command_id text collate "C" not null,
        session_id text collate "C",
        principal text not null,
        command text not null,
        cwd text,
        exit_code integer,
        started_at timestamptz,
        ended_at timestamptz,
        output_digest text,
        -- Hexadecimal; with what was said, it goes where a subject is erased.
        salt text not null,
        content_digest bytea not null check (length(content_digest) = 32),
        previous bytea not null check (length(previous) = 32),
        digest bytea not null check (length(digest) = 32),
        receipt_id uuid not null,
        recorded_at timestamptz not null,
        primary key (tenant_id, seq),
        unique (tenant_id, command_id)
      );
      create index workbench_command_session on workbench_command (tenant_id, session_id, seq) where session_id is not null;
      select svc_secure_table('workbench_command');
      revoke update, delete on workbench_command from svc_app, svc_operator;
      select svc_pin_table('workbench_command', 'array_remove(array[''command:'' || r.command_id, ''session:'' || r.session_id], null)',
        '{command,cwd,salt}');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table workbench_command');
  }
}

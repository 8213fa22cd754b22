import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Moves of work that wait for somebody's approval, and what a project lets through only so (docs/decisions/0163). */
export class CreateWorkGates1795431100000 implements MigrationInterface {
  name = 'CreateWorkGates1795431100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table work_gate (
        tenant_id text not null,
        action_id uuid not null,
        work_id text collate "C" not null,
        project_id text collate "C" not null,
        -- The version of the item that the request is about: after any change it can be approved no longer.
        item_version integer not null,
        before jsonb not null,
        after jsonb not null,
        why text,
        requested_passport text not null,
        requested_principal text not null,
        requested_at timestamptz not null default now(),
        expires_at timestamptz not null,
        -- The passports that may decide; null: any but the one that asked.
        may_decide text[],
        status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'lapsed', 'withdrawn')),
        decided_passport text,
        decided_principal text,
        decided_at timestamptz,
        reason text,
        request_receipt uuid not null,
        decision_receipt uuid,
        primary key (tenant_id, action_id),
        check ((status = 'pending') = (decided_at is null))
      );
      create index work_gate_pending on work_gate (tenant_id, requested_at, action_id) where status = 'pending';
      create index work_gate_item on work_gate (tenant_id, work_id) where status = 'pending';
      create index work_gate_expiry on work_gate (expires_at) where status = 'pending';
      select svc_secure_table('work_gate');
      revoke delete on work_gate from svc_app;
      revoke insert, update on work_gate from svc_operator;

      create table work_gate_policy (
        tenant_id text not null,
        project_id text collate "C" not null,
        -- Such as in_review>done.
        moves text[] not null,
        may_decide text[],
        version integer not null default 1 check (version > 0),
        changed_by text not null,
        changed_at timestamptz not null default now(),
        primary key (tenant_id, project_id)
      );
      select svc_secure_table('work_gate_policy');
      revoke delete on work_gate_policy from svc_app;
      revoke insert, update on work_gate_policy from svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table work_gate_policy, work_gate');
  }
}

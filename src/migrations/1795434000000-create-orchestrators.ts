import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Orchestrators with their members, and what agents have announced that they are about to do. */
export class CreateOrchestrators1795434000000 implements MigrationInterface {
  name = 'CreateOrchestrators1795434000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table orchestrator (
        tenant_id text not null,
        orchestrator_id text collate "C" not null,
        name text not null,
        state text not null default 'active'
          constraint orchestrator_state_check check (state in ('active', 'paused', 'done', 'archived')),
        created_by_passport text,
        assignee_passport text,
        created_by text not null,
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, orchestrator_id)
      );
      create index orchestrator_assignee on orchestrator (tenant_id, assignee_passport, orchestrator_id)
        where assignee_passport is not null;
      select svc_secure_table('orchestrator');
      revoke delete on orchestrator from svc_app, svc_operator;

      -- A ref is in an orchestrator once, whatever it names: it is removed by the ref alone.
      create table orchestrator_member (
        tenant_id text not null,
        orchestrator_id text collate "C" not null,
        ref text collate "C" not null,
        member_type text not null
          constraint orchestrator_member_type_check check (member_type in ('passport', 'work', 'orchestrator')),
        added_by text not null,
        added_at timestamptz not null default now(),
        primary key (tenant_id, orchestrator_id, ref),
        foreign key (tenant_id, orchestrator_id) references orchestrator
      );
      create index orchestrator_member_ref on orchestrator_member (tenant_id, member_type, ref);
      select svc_secure_table('orchestrator_member');
      revoke update on orchestrator_member from svc_app, svc_operator;

      -- One of a session; past expires_at it does not count any more, whether or not its row is still there.
      create table coord_intent (
        tenant_id text not null,
        session_id text collate "C" not null,
        intent_id uuid not null,
        project_id text not null,
        by_passport text,
        execplan_slug text,
        milestone text,
        deploy_target text,
        paths text[] not null default '{}',
        note text,
        announced_by text not null,
        -- When the session announced something in this project first, without a gap since.
        since timestamptz not null default now(),
        announced_at timestamptz not null default now(),
        expires_at timestamptz not null,
        primary key (tenant_id, session_id)
      );
      create index coord_intent_project on coord_intent (tenant_id, project_id, session_id);
      create index coord_intent_expiry on coord_intent (expires_at);
      select svc_secure_table('coord_intent');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table coord_intent, orchestrator_member, orchestrator');
  }
}

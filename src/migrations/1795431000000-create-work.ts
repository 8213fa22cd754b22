import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The work board: items, how they moved, what blocks them and what was said of them (docs/decisions/0162). */
export class CreateWork1795431000000 implements MigrationInterface {
  name = 'CreateWork1795431000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ITEMS);
    await runner.query(RECORDS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table work_blocker, work_comment, work_transition, work_item');
  }
}

const ITEMS = `
  create table work_item (
    tenant_id text not null,
    work_id text collate "C" not null,
    project_id text collate "C" not null,
    title text not null,
    body text not null default '',
    state text not null check (state in ('backlog', 'ready', 'in_progress', 'blocked', 'in_review', 'done', 'cancelled')),
    assignee_passport text collate "C",
    linked_pr text,
    linked_issue text,
    blocker_reason text,
    blocker_kind text check (blocker_kind in ('needs_info', 'needs_approval')),
    -- 0 is the most urgent.
    priority smallint not null default 2 check (priority between 0 and 4),
    labels text[] not null default '{}',
    -- Blockers that are neither done nor cancelled; counted in the transaction that changes them.
    open_blockers integer not null default 0 check (open_blockers >= 0),
    version integer not null default 1 check (version > 0),
    created_at timestamptz not null default now(),
    created_by text not null,
    updated_at timestamptz not null default now(),
    -- The present lease, as the leases keep it.
    lease_fence bigint,
    lease_holder text,
    lease_expires_at timestamptz,
    primary key (tenant_id, work_id),
    check (state <> 'blocked' or blocker_kind is not null)
  );
  -- The order of the board: urgent first, then old first.
  create index work_item_board on work_item (tenant_id, priority, created_at, work_id);
  create index work_item_project on work_item (tenant_id, project_id, priority, created_at, work_id);
  create index work_item_state on work_item (tenant_id, state, priority, created_at, work_id);
  create index work_item_assignee on work_item (tenant_id, assignee_passport, priority, created_at, work_id)
    where assignee_passport is not null;
  create index work_item_labels on work_item using gin (labels);
  select svc_secure_table('work_item');
  revoke delete on work_item from svc_app;
  revoke insert, update on work_item from svc_operator;
`;

const RECORDS = `
  -- Every change of state, the creation too. A version of an item has at most one.
  create table work_transition (
    tenant_id text not null,
    work_id text collate "C" not null,
    version integer not null,
    from_state text,
    to_state text not null,
    passport text not null,
    principal text not null,
    why text,
    fence bigint,
    -- The gate that let it through.
    action_id uuid,
    receipt_id uuid not null,
    changed_at timestamptz not null default now(),
    primary key (tenant_id, work_id, version)
  );
  select svc_secure_table('work_transition');
  revoke update, delete on work_transition from svc_app;
  revoke insert, update on work_transition from svc_operator;

  create table work_comment (
    tenant_id text not null,
    work_id text collate "C" not null,
    comment_id uuid not null,
    author_passport text not null,
    body text not null,
    receipt_id uuid not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, work_id, comment_id)
  );
  create index work_comment_order on work_comment (tenant_id, work_id, created_at, comment_id);
  select svc_secure_table('work_comment');
  revoke update, delete on work_comment from svc_app;
  revoke insert, update on work_comment from svc_operator;

  -- blocker_id has to end before work_id can be worked on.
  create table work_blocker (
    tenant_id text not null,
    work_id text collate "C" not null,
    blocker_id text collate "C" not null,
    added_by text not null,
    added_at timestamptz not null default now(),
    primary key (tenant_id, work_id, blocker_id),
    check (work_id <> blocker_id)
  );
  create index work_blocker_blocks on work_blocker (tenant_id, blocker_id);
  select svc_secure_table('work_blocker');
  revoke update on work_blocker from svc_app;
  revoke insert, update on work_blocker from svc_operator;
`;

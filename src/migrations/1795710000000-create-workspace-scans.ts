import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Scans of the workspace, and of the last one that ended well its files and their symbols. Those have no foreign keys:
 * they come and go by the hundred thousand.
 */
export class CreateWorkspaceScans1795710000000 implements MigrationInterface {
  name = 'CreateWorkspaceScans1795710000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table workspace_scan (
        tenant_id text not null,
        scan_id uuid not null,
        state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
        -- Counts its beginnings: one that another has overtaken writes nothing any more.
        attempt integer not null default 0,
        -- What the walk found; null until it has ended.
        files_found integer,
        files integer not null default 0,
        bytes bigint not null default 0,
        symbols integer not null default 0,
        left_out jsonb not null default '[]',
        problem text,
        created_by text not null,
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        started_at timestamptz,
        ended_at timestamptz,
        primary key (tenant_id, scan_id)
      );
      -- One at a time.
      create unique index workspace_scan_open on workspace_scan (tenant_id) where state in ('queued', 'running');
      create index workspace_scan_done on workspace_scan (tenant_id, scan_id) where state = 'done';
      select svc_secure_table('workspace_scan');
      revoke delete on workspace_scan from svc_app, svc_operator;

      create table workspace_file (
        tenant_id text not null,
        scan_id uuid not null,
        -- Below the root, with slashes.
        path text collate "C" not null,
        bytes bigint not null,
        -- Null where symbols are not read.
        language text,
        symbols integer not null,
        primary key (tenant_id, scan_id, path)
      );
      select svc_secure_table('workspace_file');

      create table workspace_symbol (
        tenant_id text not null,
        scan_id uuid not null,
        path text collate "C" not null,
        -- From 1, as they stand in the file.
        ordinal integer not null,
        name text not null,
        kind text not null,
        line integer not null,
        primary key (tenant_id, scan_id, path, ordinal)
      );
      select svc_secure_table('workspace_symbol');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table workspace_symbol, workspace_file, workspace_scan');
  }
}

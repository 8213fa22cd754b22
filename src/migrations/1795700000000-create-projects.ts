import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Projects and their planes, with passports, tenants and repos. Layers need no table: they are facts. A project or
 * plane that is deleted is hidden, and its id stays taken: layers, facts and receipts name it.
 */
export class CreateProjects1795700000000 implements MigrationInterface {
  name = 'CreateProjects1795700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table project (
        tenant_id text not null,
        project_id text collate "C" not null,
        name text not null,
        default_passport_id text not null,
        planning_target text,
        archived boolean not null default false,
        is_default boolean not null default false,
        created_by text not null,
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deleted_at timestamptz,
        primary key (tenant_id, project_id),
        check (deleted_at is null or archived),
        check (not (archived and is_default))
      );
      create unique index project_default on project (tenant_id) where is_default;
      create index project_list on project (tenant_id, project_id) where deleted_at is null;
      select svc_secure_table('project');
      revoke delete on project from svc_app, svc_operator;

      create table plane (
        tenant_id text not null,
        project_id text collate "C" not null,
        plane_id text collate "C" not null,
        name text not null,
        description text,
        default_passport_id text,
        created_by text not null,
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deleted_at timestamptz,
        primary key (tenant_id, project_id, plane_id),
        foreign key (tenant_id, project_id) references project
      );
      create index plane_list on plane (tenant_id, project_id, plane_id) where deleted_at is null;
      select svc_secure_table('plane');
      revoke delete on plane from svc_app, svc_operator;

      create table project_passport (
        tenant_id text not null,
        project_id text collate "C" not null,
        -- '' for the project itself.
        plane_id text collate "C" not null default '',
        passport_id text collate "C" not null,
        role text not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, project_id, plane_id, passport_id),
        foreign key (tenant_id, project_id) references project
      );
      create index project_passport_of on project_passport (tenant_id, passport_id);
      select svc_secure_table('project_passport');

      create table project_tenant (
        tenant_id text not null,
        project_id text collate "C" not null,
        -- '' for the project itself.
        plane_id text collate "C" not null default '',
        -- The tenant that is linked; tenant_id is the one whose row this is.
        linked_tenant_id text collate "C" not null,
        default_passport_id text,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, project_id, plane_id, linked_tenant_id),
        foreign key (tenant_id, project_id) references project
      );
      select svc_secure_table('project_tenant');

      create table project_repo (
        tenant_id text not null,
        project_id text collate "C" not null,
        -- owner/repo.
        repo text collate "C" not null,
        plane_id text collate "C",
        role text,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, project_id, repo),
        foreign key (tenant_id, project_id) references project,
        foreign key (tenant_id, project_id, plane_id) references plane
      );
      create index project_repo_plane on project_repo (tenant_id, project_id, plane_id, repo) where plane_id is not null;
      create index project_repo_of on project_repo (tenant_id, repo);
      select svc_secure_table('project_repo');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table project_repo, project_tenant, project_passport, plane, project');
  }
}

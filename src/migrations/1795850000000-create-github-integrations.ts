import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts of GitHub that tenants have connected, and the issues and pull requests that webhooks reported. */
export class CreateGithubIntegrations1795850000000 implements MigrationInterface {
  name = 'CreateGithubIntegrations1795850000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table github_integration (
        tenant_id text not null,
        integration_id uuid not null,
        account_id bigint not null,
        account text not null,
        token_scopes text[] not null,
        token_expires_at timestamptz,
        -- Both sealed by the server's secret; they end with the row.
        token text not null,
        webhook_secret text not null,
        connected_by text not null,
        connected_at timestamptz not null default now(),
        checked_at timestamptz not null default now(),
        last_delivery_at timestamptz,
        primary key (tenant_id, integration_id),
        unique (tenant_id, account_id)
      );
      create index github_integration_id on github_integration (integration_id);
      select svc_secure_table('github_integration');
      revoke insert, update on github_integration from svc_operator;

      create table github_delivery (
        tenant_id text not null,
        integration_id uuid not null,
        delivery_id text collate "C" not null,
        received_at timestamptz not null default now(),
        primary key (tenant_id, integration_id, delivery_id),
        foreign key (tenant_id, integration_id) references github_integration on delete cascade
      );
      create index github_delivery_age on github_delivery (received_at);
      select svc_secure_table('github_delivery');
      revoke insert, update on github_delivery from svc_operator;

      -- Issues and pull requests of a repository share their numbers; a repository keeps its id when it is renamed.
      create table github_item (
        tenant_id text not null,
        repository_id bigint not null,
        number bigint not null,
        integration_id uuid not null,
        kind text not null check (kind in ('issue', 'pull_request')),
        repository text collate "C" not null,
        title text not null,
        url text not null,
        state text not null check (state in ('open', 'closed', 'merged', 'deleted')),
        changed_at timestamptz not null,
        reported_at timestamptz not null default now(),
        primary key (tenant_id, repository_id, number),
        foreign key (tenant_id, integration_id) references github_integration on delete cascade
      );
      create index github_item_integration on github_item (tenant_id, integration_id);
      select svc_secure_table('github_item');
      revoke insert, update on github_item from svc_operator;

      create index work_item_linked_issue on work_item (tenant_id, linked_issue) where linked_issue is not null;
      create index work_item_linked_pr on work_item (tenant_id, linked_pr) where linked_pr is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index work_item_linked_pr, work_item_linked_issue;
      drop table github_item, github_delivery, github_integration;
    `);
  }
}

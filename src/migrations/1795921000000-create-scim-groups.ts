import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups that an identity provider keeps by SCIM, with their members, and seats by their e-mail address. */
export class CreateScimGroups1795921000000 implements MigrationInterface {
  name = 'CreateScimGroups1795921000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table scim_group (
        tenant_id text not null references tenant (tenant_id),
        group_id uuid not null,
        display_name text not null check (length(display_name) between 1 and 256),
        external_id text check (length(external_id) between 1 and 256),
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now(),
        primary key (tenant_id, group_id),
        unique (tenant_id, display_name)
      );
      create index scim_group_external_id on scim_group (tenant_id, external_id) where external_id is not null;
      select svc_secure_table('scim_group');

      create table scim_member (
        tenant_id text not null,
        group_id uuid not null,
        user_id uuid not null,
        primary key (tenant_id, group_id, user_id),
        foreign key (tenant_id, group_id) references scim_group on delete cascade,
        foreign key (tenant_id, user_id) references scim_user on delete cascade
      );
      create index scim_member_user on scim_member (tenant_id, user_id);
      select svc_secure_table('scim_member');

      -- A person signs in by the address alone, whatever the tenants are.
      create index seat_active_email on seat (user_email, tenant_id) where status = 'active';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index seat_active_email; drop table scim_member, scim_group');
  }
}

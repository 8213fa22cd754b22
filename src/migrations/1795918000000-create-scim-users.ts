import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users that an identity provider keeps by SCIM; each has the seat of its e-mail address, where there is one. */
export class CreateScimUsers1795918000000 implements MigrationInterface {
  name = 'CreateScimUsers1795918000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table scim_user (
        tenant_id text not null references tenant (tenant_id),
        user_id uuid not null,
        user_name text not null check (length(user_name) between 3 and 320),
        external_id text check (length(external_id) between 1 and 256),
        -- What its next seat may do; of the present one the seat says it.
        role text not null check (role in ('admin', 'member', 'viewer')),
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now(),
        primary key (tenant_id, user_id),
        unique (tenant_id, user_name)
      );
      create index scim_user_external_id on scim_user (tenant_id, external_id) where external_id is not null;
      select svc_secure_table('scim_user');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table scim_user');
  }
}

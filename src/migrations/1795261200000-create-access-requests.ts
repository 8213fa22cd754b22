import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests for access and what was decided on them. Their rows belong to the tenant that reviews, so that no other sees an applicant's data. */
export class CreateAccessRequests1795261200000 implements MigrationInterface {
  name = 'CreateAccessRequests1795261200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table access_request (
        tenant_id text not null,
        request_id uuid not null,
        status text not null default 'submitted' check (status in ('submitted', 'reviewing', 'approved', 'rejected', 'provisioned', 'spam')),
        audience text not null check (audience in ('agent', 'human')),
        requester_email text not null check (length(requester_email) <= 254),
        requester_name text,
        company_name text,
        wanted_tenant_id text,
        default_agent_id text,
        api_key_provided boolean not null,
        wanted_tier text check (wanted_tier in ('free', 'starter', 'pro', 'team')),
        use_case text,
        notes text,
        -- UUIDs of version 7 are in the order of submission; this is the time that is shown.
        submitted_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        provisioned_tenant_id text,
        primary key (tenant_id, request_id),
        check ((status = 'provisioned') = (provisioned_tenant_id is not null))
      );
      create index access_request_email on access_request (tenant_id, lower(requester_email));
      select svc_secure_table('access_request');

      create table access_request_change (
        tenant_id text not null,
        request_id uuid not null,
        change_id bigint generated always as identity,
        from_status text not null,
        to_status text not null,
        changed_by text not null,
        changed_at timestamptz not null default clock_timestamp(),
        reason text,
        primary key (tenant_id, request_id, change_id),
        foreign key (tenant_id, request_id) references access_request
      );
      select svc_secure_table('access_request_change');
      revoke update, delete on access_request_change from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access_request_change, access_request');
  }
}

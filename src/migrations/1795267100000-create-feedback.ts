import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a tenant tells us: feature requests with votes, what they would be worth to it, and answers to surveys. */
export class CreateFeedback1795267100000 implements MigrationInterface {
  name = 'CreateFeedback1795267100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table feedback_request (
        tenant_id text not null references tenant,
        request_id uuid not null,
        title text not null,
        body text not null,
        category text not null,
        agent_id text,
        status text not null default 'open' check (status in ('open', 'acknowledged', 'shipped', 'archived')),
        -- Counted under the row's lock, together with the row of the vote.
        votes integer not null default 0 check (votes >= 0),
        submitted_by text not null,
        submitted_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, request_id)
      );
      create index feedback_request_votes on feedback_request (tenant_id, votes desc, request_id desc);
      select svc_secure_table('feedback_request');

      create table feedback_vote (
        tenant_id text not null,
        request_id uuid not null,
        principal text not null,
        voted_at timestamptz not null default now(),
        withdrawn_at timestamptz,
        primary key (tenant_id, request_id, principal),
        foreign key (tenant_id, request_id) references feedback_request
      );
      select svc_secure_table('feedback_vote');

      create table feedback_request_change (
        tenant_id text not null,
        request_id uuid not null,
        seq integer not null,
        action text not null,
        from_status text,
        to_status text not null,
        principal text not null,
        reason text,
        note text,
        changed_at timestamptz not null default now(),
        primary key (tenant_id, request_id, seq),
        foreign key (tenant_id, request_id) references feedback_request
      );
      select svc_secure_table('feedback_request_change');

      create table revenue_declaration (
        tenant_id text not null references tenant,
        declaration_id uuid not null,
        agent_id text,
        subject text collate "C" not null,
        request_id uuid,
        amount_minor bigint not null check (amount_minor > 0),
        currency text not null check (currency in ('GBP', 'USD', 'EUR')),
        period text not null check (period in ('monthly', 'yearly', 'once')),
        note text,
        state text not null default 'pending' check (state in ('pending', 'needs_info', 'accepted', 'rejected')),
        declared_by text not null,
        declared_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, declaration_id),
        foreign key (tenant_id, request_id) references feedback_request
      );
      create index revenue_declaration_subject on revenue_declaration (tenant_id, subject);
      create index revenue_declaration_waiting on revenue_declaration (tenant_id, declaration_id) where state in ('pending', 'needs_info');
      select svc_secure_table('revenue_declaration');

      create table revenue_declaration_change (
        tenant_id text not null,
        declaration_id uuid not null,
        seq integer not null,
        from_state text,
        to_state text not null,
        principal text not null,
        reason text,
        changed_at timestamptz not null default now(),
        primary key (tenant_id, declaration_id, seq),
        foreign key (tenant_id, declaration_id) references revenue_declaration
      );
      select svc_secure_table('revenue_declaration_change');

      create table survey_response (
        tenant_id text not null references tenant,
        survey_id text not null,
        survey_version integer not null,
        principal text not null,
        response_id uuid not null,
        answers jsonb not null default '{}',
        started_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        completed_at timestamptz,
        primary key (tenant_id, survey_id, survey_version, principal)
      );
      select svc_secure_table('survey_response');

      revoke update, delete on feedback_request_change, revenue_declaration_change from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table survey_response, revenue_declaration_change, revenue_declaration, feedback_request_change, feedback_vote, feedback_request;
    `);
  }
}

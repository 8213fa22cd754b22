import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversions of credits into a discount of the subscription, and what the payment provider said of them. */
export class CreateConversions1795264100000 implements MigrationInterface {
  name = 'CreateConversions1795264100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table conversion (
        tenant_id text not null references tenant,
        conversion_id uuid not null,
        agent_id text not null,
        tier text not null,
        -- The UTC month whose cap it counts against.
        month date not null,
        credits bigint not null check (credits > 0),
        pence bigint not null check (pence > 0),
        state text not null default 'pending' check (state in ('pending', 'applied', 'failed')),
        transfer_id uuid not null,
        requested_by text not null,
        requested_at timestamptz not null default now(),
        expected_at timestamptz not null,
        settled_at timestamptz,
        failure_reason text,
        primary key (tenant_id, conversion_id),
        foreign key (tenant_id, transfer_id) references ledger_transfer,
        check ((state = 'pending') = (settled_at is null))
      );
      create index conversion_month on conversion (tenant_id, month);
      create index conversion_agent on conversion (tenant_id, agent_id, requested_at, conversion_id);
      -- The provider names a conversion without its tenant.
      create index conversion_by_id on conversion (conversion_id);
      select svc_secure_table('conversion');
      revoke delete on conversion from svc_app, svc_operator;

      -- The first final state stands, whatever arrives later and in whatever order.
      create function svc_keep_settlement() returns trigger language plpgsql as $$
      begin
        raise exception 'conversion % is % and stays so', old.conversion_id, old.state using errcode = 'check_violation';
      end $$;
      create trigger keep_settlement before update on conversion
        for each row when (old.state <> 'pending') execute function svc_keep_settlement();

      create table conversion_event (
        tenant_id text not null,
        conversion_id uuid not null,
        event_id text not null,
        type text not null,
        outcome text not null check (outcome in ('settled', 'ignored')),
        happened_at timestamptz not null,
        received_at timestamptz not null default now(),
        primary key (tenant_id, conversion_id, event_id),
        foreign key (tenant_id, conversion_id) references conversion
      );
      select svc_secure_table('conversion_event');
      revoke update, delete on conversion_event from svc_app, svc_operator;

      -- Ids of the provider's events that were processed. They belong to the provider, not to a tenant: no id counts twice, whoever it is about.
      create table payment_event (
        event_id text primary key,
        received_at timestamptz not null default now()
      );
      grant select, insert on payment_event to svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table payment_event, conversion_event, conversion cascade;
      drop function svc_keep_settlement();
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far each reader of the outbox has come, and what is sent to the webhook endpoints of tenants. */
export class CreateEventDelivery1795266000000 implements MigrationInterface {
  name = 'CreateEventDelivery1795266000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Belongs to no tenant: a reader goes through the events of all. Only the operator role moves it.
      create table outbox_cursor (
        sink text primary key,
        transaction xid8 not null default '0',
        position bigint not null default 0,
        moved_at timestamptz not null default now()
      );
      grant select, insert, update, delete on outbox_cursor to svc_operator;
      create index outbox_event_age on outbox_event (occurred_at);

      create table webhook_endpoint (
        tenant_id text not null references tenant,
        endpoint_id uuid not null,
        url text not null,
        description text,
        -- Whole kinds (seat.invited) or prefixes (seat.*); none means every kind.
        kinds text[] not null default '{}',
        -- Set: only alerts of this watch.
        watch_id uuid,
        -- Encrypted; the one before stays valid for a while after a rotation.
        secret text not null,
        previous_secret text,
        previous_until timestamptz,
        created_by text not null,
        created_at timestamptz not null default now(),
        -- What had happened by then is not sent.
        created_snapshot pg_snapshot default pg_current_snapshot(),
        disabled_at timestamptz,
        disabled_reason text,
        deleted_at timestamptz,
        deleted_by text,
        primary key (tenant_id, endpoint_id)
      );
      create index webhook_endpoint_watch on webhook_endpoint (tenant_id, watch_id) where watch_id is not null;
      select svc_secure_table('webhook_endpoint');

      create table webhook_delivery (
        tenant_id text not null,
        delivery_id uuid not null default gen_random_uuid(),
        endpoint_id uuid not null,
        event_id uuid not null,
        kind text not null,
        subject text not null,
        -- The exact bytes that every attempt signs and sends.
        payload text not null,
        state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
        attempts int not null default 0,
        -- The attempts of the present round: a redelivery begins a new one.
        round_attempts int not null default 0,
        next_at timestamptz not null default now(),
        leased_until timestamptz,
        created_at timestamptz not null default now(),
        position bigint generated always as identity,
        finished_at timestamptz,
        primary key (tenant_id, delivery_id),
        unique (tenant_id, endpoint_id, event_id),
        foreign key (tenant_id, endpoint_id) references webhook_endpoint
      );
      create index webhook_delivery_due on webhook_delivery (tenant_id, endpoint_id, next_at) where state = 'pending';
      create index webhook_delivery_next on webhook_delivery (next_at) where state = 'pending';
      create index webhook_delivery_leased on webhook_delivery (tenant_id, endpoint_id) where state = 'pending' and leased_until is not null;
      create index webhook_delivery_list on webhook_delivery (tenant_id, endpoint_id, position);
      create index webhook_delivery_age on webhook_delivery (finished_at) where finished_at is not null;
      select svc_secure_table('webhook_delivery');

      create table webhook_attempt (
        tenant_id text not null,
        delivery_id uuid not null,
        attempt int not null,
        started_at timestamptz not null,
        duration_ms int not null,
        status int,
        error text,
        primary key (tenant_id, delivery_id, attempt),
        foreign key (tenant_id, delivery_id) references webhook_delivery on delete cascade
      );
      select svc_secure_table('webhook_attempt');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table webhook_attempt, webhook_delivery, webhook_endpoint, outbox_cursor;
      drop index outbox_event_age;
    `);
  }
}

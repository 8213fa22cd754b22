import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who did what to a seat and why; who made and ended an API key, and until when it lasts. */
export class CreateSeatHistory1795262000000 implements MigrationInterface {
  name = 'CreateSeatHistory1795262000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table seat_event (
        tenant_id text not null,
        seat_id uuid not null,
        event_id bigint generated always as identity,
        kind text not null check (kind in ('invited', 'accepted', 'role_changed', 'revoked')),
        -- The principal that did it; a seat accepts for itself.
        actor text not null,
        former_role text,
        role text not null,
        reason text,
        occurred_at timestamptz not null default clock_timestamp(),
        primary key (tenant_id, seat_id, event_id),
        foreign key (tenant_id, seat_id) references seat
      );
      select svc_secure_table('seat_event');
      revoke update, delete on seat_event from svc_app, svc_operator;

      alter table api_key
        add column label text check (length(label) between 1 and 120),
        add column created_by text,
        add column expires_at timestamptz,
        add column revoked_by text,
        add column revoke_reason text;

      -- A key that has expired is not found; one that will is remembered no longer than it lasts.
      drop function svc_find_key(text, text);
      create function svc_find_key(wanted_tenant text, wanted_prefix text)
        returns table (key_id uuid, key_hash bytea, tier text, expires_at timestamptz) language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select k.key_id, k.key_hash, t.tier, k.expires_at from api_key k join tenant t using (tenant_id)
          where k.tenant_id = wanted_tenant and k.prefix = wanted_prefix and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > clock_timestamp());
      end $$;
      grant execute on function svc_find_key(text, text) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_find_key(text, text);
      create function svc_find_key(wanted_tenant text, wanted_prefix text)
        returns table (key_id uuid, key_hash bytea, tier text) language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select k.key_id, k.key_hash, t.tier from api_key k join tenant t using (tenant_id)
          where k.tenant_id = wanted_tenant and k.prefix = wanted_prefix and k.revoked_at is null;
      end $$;
      grant execute on function svc_find_key(text, text) to svc_app;
      alter table api_key drop column label, drop column created_by, drop column expires_at, drop column revoked_by, drop column revoke_reason;
      drop table seat_event;
    `);
  }
}

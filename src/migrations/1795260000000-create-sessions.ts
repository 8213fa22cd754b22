import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Seats, browser sessions, the end of a principal, and the outbox: what the rooms of the tenant API stand on. */
export class CreateSessions1795260000000 implements MigrationInterface {
  name = 'CreateSessions1795260000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Belongs to no tenant; only the operator role reads it.
      create table server_secret (
        name text primary key,
        secret bytea not null
      );
      grant select, insert on server_secret to svc_operator;

      create table seat (
        tenant_id text not null references tenant,
        seat_id uuid not null,
        user_email text not null check (user_email = lower(user_email)),
        role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
        status text not null check (status in ('pending', 'active', 'revoked')),
        invited_by uuid,
        invited_at timestamptz not null default now(),
        accepted_at timestamptz,
        revoked_at timestamptz,
        -- SHA-256 of the invitation's token; none once it was used, replaced or withdrawn.
        invite_hash bytea,
        invite_expires_at timestamptz,
        primary key (tenant_id, seat_id)
      );
      create unique index seat_email on seat (tenant_id, user_email) where status <> 'revoked';
      select svc_secure_table('seat');

      create table session (
        tenant_id text not null references tenant,
        session_id uuid not null,
        session_hash bytea not null check (length(session_hash) = 32),
        auth_type text not null check (auth_type in ('api_key', 'seat')),
        principal text not null,
        key_id uuid,
        seat_id uuid,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        ended_at timestamptz,
        primary key (tenant_id, session_id),
        unique (tenant_id, session_hash),
        foreign key (tenant_id, key_id) references api_key,
        foreign key (tenant_id, seat_id) references seat,
        check ((auth_type = 'api_key') = (key_id is not null) and (auth_type = 'seat') = (seat_id is not null))
      );
      create index session_principal on session (tenant_id, principal) where ended_at is null;
      create index session_expiry on session (expires_at);
      select svc_secure_table('session');

      create function svc_announce_session() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_session_ended', old.session_id::text);
        return null;
      end $$;
      create trigger announce_end after update of ended_at or delete on session
        for each row execute function svc_announce_session();

      -- One round trip for the caller guard: enters the tenant for this statement's transaction alone.
      create function svc_find_session(wanted_tenant text, wanted_hash bytea)
        returns table (session_id uuid, principal text, auth_type text, expires_at timestamptz, key_prefix text, seat_id uuid, seat_role text,
                       seat_email text, tier text)
        language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select s.session_id, s.principal, s.auth_type, s.expires_at, k.prefix, s.seat_id, e.role, e.user_email, t.tier
          from session s join tenant t using (tenant_id)
            left join api_key k on k.tenant_id = s.tenant_id and k.key_id = s.key_id
            left join seat e on e.tenant_id = s.tenant_id and e.seat_id = s.seat_id
          where s.tenant_id = wanted_tenant and s.session_hash = wanted_hash and s.ended_at is null and s.expires_at > now()
            and (k.key_id is null or k.revoked_at is null) and (e.seat_id is null or e.status = 'active');
      end $$;
      grant execute on function svc_find_session(text, bytea) to svc_app;

      -- A principal that lost its right: a key or an agent revoked, a seat revoked or given another role. Whatever was derived from it ends by
      -- triggers on this table, in the same transaction; a room that derives something adds its own.
      create table principal_end (
        tenant_id text not null,
        principal text not null,
        ended_at timestamptz not null default clock_timestamp(),
        end_id bigint generated always as identity,
        reason text not null,
        primary key (tenant_id, principal, end_id)
      );
      select svc_secure_table('principal_end');

      create function svc_end_sessions() returns trigger language plpgsql as $$
      begin
        update session set ended_at = now() where tenant_id = new.tenant_id and principal = new.principal and ended_at is null;
        return null;
      end $$;
      create trigger end_sessions after insert on principal_end for each row execute function svc_end_sessions();

      create function svc_end_key() returns trigger language plpgsql as $$
      begin
        insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'key:' || new.key_id, 'key revoked');
        return null;
      end $$;
      create trigger end_principal after update of revoked_at on api_key
        for each row when (old.revoked_at is null and new.revoked_at is not null) execute function svc_end_key();

      create function svc_end_seat() returns trigger language plpgsql as $$
      begin
        insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'seat:' || new.seat_id,
          case when new.status = 'revoked' then 'seat revoked' else 'role changed' end);
        return null;
      end $$;
      create trigger end_principal after update on seat
        for each row when (old.status = 'active' and (new.status = 'revoked' or old.role <> new.role)) execute function svc_end_seat();

      -- Events, written with their effect. A reader that goes by (transaction, position) below the oldest running transaction misses none:
      -- nothing can commit below that line any more.
      create table outbox_event (
        tenant_id text not null,
        event_id uuid not null,
        kind text not null,
        subject text not null,
        data jsonb not null,
        occurred_at timestamptz not null default now(),
        transaction xid8 not null default pg_current_xact_id(),
        position bigint generated always as identity,
        primary key (tenant_id, event_id)
      );
      create index outbox_event_order on outbox_event (transaction, position);
      create index outbox_event_tenant on outbox_event (tenant_id, transaction, position);
      select svc_secure_table('outbox_event');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger end_principal on api_key;
      drop table outbox_event, principal_end, session, seat, server_secret cascade;
      drop function svc_find_session(text, bytea), svc_announce_session(), svc_end_sessions(), svc_end_key(), svc_end_seat();
    `);
  }
}

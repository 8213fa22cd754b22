import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Other daemons that a tenant's memory is synchronised with, by which key they know this one, and spent nonces. */
export class CreateSyncPeers1795801000000 implements MigrationInterface {
  name = 'CreateSyncPeers1795801000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sync_peer (
        tenant_id text not null,
        peer_id text collate "C" not null,
        url text,
        kid text collate "C" not null,
        public_key bytea not null check (length(public_key) = 32),
        scopes text[] not null,
        entity_prefixes text[] not null,
        collections text[],
        direction text not null constraint sync_peer_direction_check check (direction in ('pull', 'push', 'both')),
        last_cosigned_head text,
        receipt_id uuid not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        revoked_by text,
        revoked_at timestamptz,
        revoke_receipt uuid,
        primary key (tenant_id, peer_id),
        foreign key (tenant_id) references tenant,
        check ((revoked_at is null) = (revoke_receipt is null) and (revoked_at is null) = (revoked_by is null))
      );
      -- A key is one peer of a tenant at a time; it may be added again once it was revoked.
      create unique index sync_peer_key on sync_peer (tenant_id, kid) where revoked_at is null;
      create index sync_peer_kid on sync_peer (tenant_id, kid);
      select svc_secure_table('sync_peer');
      revoke delete on sync_peer from svc_app, svc_operator;

      -- Who bears these keys in a tenant, in one round trip, ahead of any unit of work: of each key the peer that it is, else the
      -- one that it was until it was revoked.
      create function svc_find_peers(wanted_tenant text, wanted_kids text[])
        returns table (peer_id text, kid text, public_key bytea, scopes text[], entity_prefixes text[], collections text[], direction text, revoked_at timestamptz)
        language plpgsql as $$
        begin
          perform set_config('svc.tenant_id', wanted_tenant, true);
          return query
            select distinct on (p.kid) p.peer_id, p.kid, p.public_key, p.scopes, p.entity_prefixes, p.collections, p.direction, p.revoked_at
            from sync_peer p where p.tenant_id = wanted_tenant and p.kid = any(wanted_kids)
            order by p.kid, p.revoked_at desc nulls first;
        end $$;
      revoke execute on function svc_find_peers(text, text[]) from public;
      grant execute on function svc_find_peers(text, text[]) to svc_app;

      -- One row: several daemons over one database are one peer to others.
      create table peer_identity (
        only_one boolean primary key default true check (only_one),
        kid text not null,
        public_key bytea not null check (length(public_key) = 32),
        since timestamptz not null default now()
      );
      grant select, insert, update on peer_identity to svc_operator;

      alter table sync_nonce add column spent_at timestamptz;
      -- What a nonce is: taken, once, while it has not expired; after that spent, which is remembered until it would have expired.
      create function svc_spend_nonce(hash bytea) returns text
        language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
        begin
          update sync_nonce set spent_at = clock_timestamp()
          where nonce_hash = hash and spent_at is null and expires_at > clock_timestamp();
          if found then
            return 'taken';
          end if;
          return coalesce((select case when spent_at is null then 'expired' else 'spent' end from sync_nonce where nonce_hash = hash), 'unknown');
        end $$;
      revoke execute on function svc_spend_nonce(bytea) from public;
      grant execute on function svc_spend_nonce(bytea) to svc_app;
      drop function svc_take_nonce(bytea);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function svc_take_nonce(hash bytea) returns boolean
        language sql security definer set search_path = pg_catalog, public, pg_temp as $$
        with taken as (delete from sync_nonce where nonce_hash = hash returning expires_at)
        select coalesce((select expires_at > clock_timestamp() from taken), false);
      $$;
      revoke execute on function svc_take_nonce(bytea) from public;
      grant execute on function svc_take_nonce(bytea) to svc_app;
      drop function svc_spend_nonce(bytea);
      alter table sync_nonce drop column spent_at;
      drop table peer_identity;
      drop function svc_find_peers(text, text[]);
      drop table sync_peer;
    `);
  }
}

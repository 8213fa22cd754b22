import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The logs of peers that this server watches and cosigns, and which peers of a tenant have them. */
export class CreatePeerLogs1795802000000 implements MigrationInterface {
  name = 'CreatePeerLogs1795802000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Public, as logs are; nothing in it is of a tenant.
      create table peer_log (
        log_id uuid primary key,
        -- The origin without the number of the epoch.
        name text collate "C" not null,
        -- Note verifier keys that the operator trusts for it: its first key, or keys of the log itself.
        pinned text[] not null check (cardinality(pinned) > 0),
        -- Receipts by which the first key names the others, base64, as the peer has shown them.
        statements text[] not null default '{}',
        -- The verifier key by which the peer cosigns logs of others, as its log vouches for it.
        witness_key text,
        -- Where the peer's daemon answers; null where it only asks.
        url text,
        -- The newest head that was seen: null before the first.
        origin text collate "C",
        size bigint not null default 0 check (size >= 0),
        root bytea,
        checkpoint text,
        seen_at timestamptz,
        -- The line of this server over that head; null where it does not cosign it.
        cosignature text,
        cosigned_at timestamptz,
        state text not null default 'ok' constraint peer_log_state_check check (state in ('ok', 'split', 'rolled_back')),
        reason text,
        since timestamptz,
        -- The head that does not go with the newest one.
        contradiction text,
        -- An origin under which two logs were seen: it is never cosigned again.
        forked_origin text,
        cleared_by text,
        cleared_at timestamptz,
        check ((origin is null) = (root is null) and (origin is null) = (checkpoint is null)),
        check ((state = 'ok') = (since is null))
      );
      create index peer_log_name on peer_log (name);
      create index peer_log_origin on peer_log (origin);
      grant select on peer_log to svc_app;
      grant select, insert, update on peer_log to svc_operator;

      create table peer_log_peer (
        tenant_id text not null,
        peer_id text collate "C" not null,
        log_id uuid not null references peer_log,
        pinned_by text not null,
        pinned_at timestamptz not null default now(),
        -- Since when its log is not in order, where an incident was opened for that.
        alarmed_since timestamptz,
        incident_id uuid,
        primary key (tenant_id, peer_id)
      );
      create index peer_log_peer_log on peer_log_peer (log_id);
      select svc_secure_table('peer_log_peer');
      revoke insert, update, delete on peer_log_peer from svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table peer_log_peer, peer_log');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Receipts, their chains, the public signing keys and the transparency log. What is evidence can be added, never changed. */
export class CreateEvidence1795200050000 implements MigrationInterface {
  name = 'CreateEvidence1795200050000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table receipt (
        tenant_id text not null,
        receipt_id uuid not null,
        stream text not null,
        seq bigint not null check (seq >= 1),
        prev_hash bytea,
        payload_hash bytea not null,
        kind text not null,
        actor text not null,
        subject text not null,
        occurred_at timestamptz not null,
        -- COSE_Sign1 with the payload inside; the columns above repeat the payload for queries and are checked against it.
        cose bytea not null,
        primary key (tenant_id, receipt_id),
        unique (tenant_id, stream, seq)
      );
      create index receipt_subject on receipt (tenant_id, subject, stream, seq);
      select svc_secure_table('receipt');
      revoke update, delete on receipt from svc_app, svc_operator;

      create table receipt_head (
        tenant_id text not null,
        stream text not null,
        seq bigint not null,
        payload_hash bytea,
        primary key (tenant_id, stream)
      );
      select svc_secure_table('receipt_head');
      revoke delete on receipt_head from svc_app, svc_operator;

      create table retrieval_receipt (
        tenant_id text not null,
        record_digest bytea not null,
        actor text not null,
        occurred_at timestamptz not null,
        record bytea not null,
        primary key (tenant_id, record_digest)
      );
      select svc_secure_table('retrieval_receipt');
      revoke update, delete on retrieval_receipt from svc_app, svc_operator;

      -- The tables from here on hold digests and public keys only, nothing of a tenant.
      create table signing_key (
        kid text primary key,
        public_key bytea not null unique check (length(public_key) = 32),
        not_before timestamptz not null,
        not_after timestamptz
      );
      grant select on signing_key to svc_app;
      grant select, insert, update on signing_key to svc_operator;

      -- Records whose transaction is committed and that the sequencer has not yet given a leaf.
      create table log_pending (
        pending_id bigint generated always as identity primary key,
        record_type text not null check (record_type in ('execution', 'retrieval')),
        record_digest bytea not null check (length(record_digest) = 32)
      );
      grant insert on log_pending to svc_app;
      grant select, insert, delete on log_pending to svc_operator;

      create table log_leaf (
        leaf_index bigint primary key,
        record_type text not null,
        record_digest bytea not null unique
      );
      grant select on log_leaf to svc_app;
      grant select, insert on log_leaf to svc_operator;

      -- C2SP tlog-tiles: up to 256 hashes, one after another. A partial tile is a prefix of what the tile becomes.
      create table log_tile (
        level smallint not null,
        tile_index bigint not null,
        hashes bytea not null,
        primary key (level, tile_index)
      );
      alter table log_tile alter column hashes set storage external;
      grant select on log_tile to svc_app;
      grant select, insert, update on log_tile to svc_operator;

      create table log_head (
        only_one boolean primary key default true check (only_one),
        origin text not null,
        size bigint not null,
        root bytea not null,
        kid text not null references signing_key,
        checkpoint text not null,
        signed_at timestamptz not null default now()
      );
      grant select on log_head to svc_app;
      grant select, insert, update on log_head to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table log_head, log_tile, log_leaf, log_pending, signing_key, retrieval_receipt, receipt_head, receipt;
    `);
  }
}

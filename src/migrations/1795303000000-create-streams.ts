import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Append-only event streams of a tenant, and the end of each. What is appended can be added to, never changed. */
export class CreateStreams1795303000000 implements MigrationInterface {
  name = 'CreateStreams1795303000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- next_seq is the seq that the next event gets, and so the number of events there are. Its row is what writers of the stream queue for.
      create table stream_head (
        tenant_id text not null,
        stream_type text not null,
        stream_id text not null,
        next_seq bigint not null default 0 check (next_seq >= 0),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, stream_type, stream_id)
      );
      select svc_secure_table('stream_head');
      revoke delete on stream_head from svc_app, svc_operator;

      -- payload holds the canonical CBOR that payload_digest covers, byte for byte. digest is what the receipt of the append covers.
      create table stream_event (
        tenant_id text not null,
        stream_type text not null,
        stream_id text not null,
        seq bigint not null check (seq >= 0),
        event_id text,
        type text not null,
        occurred_at timestamptz,
        recorded_at timestamptz not null default now(),
        salt bytea not null check (length(salt) = 16),
        payload bytea not null,
        digest bytea not null check (length(digest) = 32),
        receipt_id uuid not null,
        primary key (tenant_id, stream_type, stream_id, seq)
      );
      create unique index stream_event_id on stream_event (tenant_id, stream_type, stream_id, event_id) where event_id is not null;
      select svc_secure_table('stream_event');
      revoke update, delete on stream_event from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table stream_event, stream_head');
  }
}

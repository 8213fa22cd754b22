import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Timestamps of checkpoints, and how asking their authority and the witnesses goes. */
export class KeepTimestamps1795421000000 implements MigrationInterface {
  name = 'KeepTimestamps1795421000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table log_timestamp (
        origin text not null,
        size bigint not null,
        -- The signed note that was stamped, byte for byte.
        checkpoint text not null,
        -- TimeStampToken of RFC 3161, DER.
        token bytea not null,
        -- As the authority says.
        stamped_at timestamptz not null,
        authority text not null,
        primary key (origin, size)
      );
      grant select, insert, update, delete on log_timestamp to svc_operator;

      create table log_authority (
        url text primary key,
        next_at timestamptz not null,
        stamped_at timestamptz,
        -- Of the last failure since then; null while there is none.
        failed_at timestamptz,
        reason text
      );
      grant select, insert, update on log_authority to svc_operator;

      alter table log_witness add signed_at timestamptz, add failed_at timestamptz, add reason text,
        -- It has seen another log than this one.
        add disagrees boolean not null default false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table log_witness drop signed_at, drop failed_at, drop reason, drop disagrees;
      drop table log_authority, log_timestamp
    `);
  }
}

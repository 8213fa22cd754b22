import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What witnesses of the log have signed: the newest head that one of them has, and how far each has come. */
export class KeepCosignedHeads1795413000000 implements MigrationInterface {
  name = 'KeepCosignedHeads1795413000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table log_cosigned_head (
        only_one boolean primary key default true check (only_one),
        origin text not null,
        size bigint not null,
        root bytea not null,
        kid text not null references signing_key,
        checkpoint text not null,
        -- Signature lines of witnesses, to be written after those of the checkpoint.
        cosignatures text not null,
        cosigned_at timestamptz not null default now()
      );
      grant select on log_cosigned_head to svc_app;
      grant select, insert, update on log_cosigned_head to svc_operator;

      create table log_witness (
        verifier_key text primary key,
        origin text not null,
        -- Of the last checkpoint of that origin that it has signed.
        size bigint not null,
        asked_at timestamptz not null
      );
      grant select, insert, update on log_witness to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table log_witness, log_cosigned_head');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The epochs of the log: one from its first start, one more from each restore (docs/decisions/0143). */
export class CreateLogEpochs1795408000000 implements MigrationInterface {
  name = 'CreateLogEpochs1795408000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Public, as the log is. The newest is that of log_head; without a record it waits for a process that signs.
      create table log_epoch (
        epoch integer primary key check (epoch >= 1),
        origin text not null unique,
        -- The origin without the number of the epoch.
        name text not null,
        previous_origin text,
        -- Where the epoch before ends in this database, and how far it is known to have gone.
        restored_checkpoint text,
        last_known_checkpoint text,
        -- COSE_Sign1 of the receipt that is leaf 0; also missing where the log is older than such receipts.
        record bytea
      );
      grant select on log_epoch to svc_app;
      grant select, insert, update (record) on log_epoch to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table log_epoch');
  }
}

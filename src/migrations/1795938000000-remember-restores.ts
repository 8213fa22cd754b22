import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Since a restore transaction ids are counted from lower, so that a place among the events of before it could be taken
 * for one of after it: positions go on from a higher number, which is kept.
 */
export class RememberRestores1795938000000 implements MigrationInterface {
  name = 'RememberRestores1795938000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table outbox_restore (
        only_one boolean primary key default true check (only_one),
        -- Every event since the last restore has a higher one.
        position bigint not null,
        restored_at timestamptz not null default clock_timestamp()
      );
      grant select on outbox_restore to svc_app;
      grant select, insert, delete on outbox_restore to svc_operator;
      grant select, update on sequence outbox_event_position_seq to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      revoke select, update on sequence outbox_event_position_seq from svc_operator;
      drop table outbox_restore;
    `);
  }
}

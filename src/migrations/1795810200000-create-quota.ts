import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests of passports to surfaces with a quota, in windows of the database's clock, for all processes together. */
export class CreateQuota1795810200000 implements MigrationInterface {
  name = 'CreateQuota1795810200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table quota_window (
        tenant_id text not null,
        -- The principal: that of the passport, where the request bore one.
        principal text not null,
        surface text not null,
        window_start timestamptz not null,
        window_seconds integer not null check (window_seconds > 0),
        used integer not null check (used > 0),
        primary key (tenant_id, principal, surface, window_seconds, window_start)
      -- A row is changed with every request: space for its next version on the same page spares the indexes.
      ) with (fillfactor = 50);
      create index quota_window_age on quota_window (window_start);
      select svc_secure_table('quota_window');
      revoke insert, update on quota_window from svc_operator;

      create function svc_take_quota(me text, taken_by text, of_surface text, bucket int, seconds int)
        returns table (admitted boolean, used int, ends_in int) language plpgsql as $$ begin end $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_take_quota(text, text, text, int, int); drop table quota_window');
  }
}

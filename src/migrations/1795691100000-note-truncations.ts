import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An attempt to empty a table under a legal hold gets its receipt: it is noted where a rollback does not reach. */
export class NoteTruncations1795691100000 implements MigrationInterface {
  name = 'NoteTruncations1795691100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create sequence refused_truncation_table;
      create sequence refused_truncation_role;
      ${FUNCTIONS}
      revoke execute on function svc_note_truncation(oid), svc_take_truncation() from public;
      grant execute on function svc_take_truncation() to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${KEEP_BEFORE}
      drop function svc_note_truncation(oid), svc_take_truncation();
      drop sequence refused_truncation_table, refused_truncation_role;
    `);
  }
}

/** As they were made first; functions/ has them as they are. */
const FUNCTIONS = `
  create or replace function svc_note_truncation(target oid) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    begin
      perform setval('refused_truncation_table', target::bigint);
      perform setval('refused_truncation_role', (select r.oid::bigint from pg_roles r where r.rolname = session_user));
    end $$;

  create or replace function svc_take_truncation() returns table (table_name text, login text)
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      target bigint;
      by_role bigint;
    begin
      perform pg_advisory_xact_lock(hashtextextended('svc refused truncation', 0));
      select t.last_value, r.last_value into target, by_role
        from refused_truncation_table t cross join refused_truncation_role r where t.is_called;
      if target is null then
        return;
      end if;
      perform setval('refused_truncation_table', 1, false);
      return query select coalesce((select c.relname::text from pg_class c where c.oid = target::oid), target::text),
        coalesce((select r.rolname::text from pg_roles r where r.oid = by_role::oid), by_role::text);
    end $$;
`;

const KEEP_BEFORE = `
  create or replace function svc_keep_held_table() returns trigger
    language plpgsql as $$
    declare
      holds uuid[] := array(select h.hold_id from public.legal_hold h where h.released_at is null order by 1 limit 100);
    begin
      if holds <> '{}' then
        raise exception 'legal hold % is active; % is not emptied', holds[1], tg_table_name using errcode = 'SVH01', detail = to_json(holds)::text,
          hint = tg_table_name;
      end if;
      return null;
    end $$;
`;

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cases get a number that grows with each, by which the making of vectors finds what it has not looked at (0209). */
export class EmbedCases1795680000000 implements MigrationInterface {
  name = 'EmbedCases1795680000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FUNCTIONS);
    await runner.query(`
      revoke execute on function svc_enter_rows(), svc_row_writers(text, text) from public;
      grant execute on function svc_row_writers(text, text) to svc_app;
      alter table memory_case add column seq bigint generated always as identity;
      create index memory_case_seq on memory_case (tenant_id, seq);
      -- To lock a row while its vector is written takes the right to update a column of it; this one gives itself only.
      grant update (seq) on memory_case to svc_app;
      create trigger enter_rows before insert on memory_case for each statement execute function svc_enter_rows();
      create trigger drop_vectors after delete on memory_case referencing old table as gone
        for each statement execute function svc_drop_vectors('case', 'seq');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger drop_vectors on memory_case;
      drop trigger enter_rows on memory_case;
      alter table memory_case drop column seq;
      delete from memory_vector where kind = 'case';
      delete from memory_vector_state where kind = 'case';
      drop function svc_enter_rows(), svc_row_writers(text, text);
    `);
  }
}

const FUNCTIONS = `
    create or replace function svc_enter_rows() returns trigger language plpgsql as $$
          begin
            perform pg_advisory_xact_lock_shared(hashtextextended(
              'svc ' || tg_table_name || ' ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
            return null;
          end $$;

    create or replace function svc_row_writers(me text, of_table text) returns table (writer text) language sql as $$
        select distinct l.virtualtransaction from pg_locks l, hashtextextended('svc ' || of_table || ' ' || me, 0) k
        where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select d.oid from pg_database d where d.datname = current_database())
          and l.classid = ((k >> 32) & 4294967295)::oid and l.objid = (k & 4294967295)::oid and l.pid <> pg_backend_pid()
      $$;
`;

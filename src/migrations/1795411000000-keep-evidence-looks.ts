import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where the look at all of the evidence stands, that another process may go on with it, and when the last one ended.
 * Findings bear when they were last seen: one that a later whole look does not see is over.
 */
export class KeepEvidenceLooks1795411000000 implements MigrationInterface {
  name = 'KeepEvidenceLooks1795411000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table evidence_look (
        only_one boolean primary key default true check (only_one),
        -- The process at it, and until when it has it.
        holder uuid not null,
        held_until timestamptz not null,
        began_at timestamptz not null,
        -- Null before the first part of a look is over; leaves_seen has a bit for each leaf.
        place jsonb,
        leaves_seen bytea,
        ended_at timestamptz,
        ended_examined bigint,
        ended_findings int
      );
      grant select, insert, update on evidence_look to svc_operator;
      alter table corruption_finding add column seen_at timestamptz not null default now();
    `);
    await runner.query(ERASE_RECORDS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_erase_records(text, uuid[], bytea[]);
      drop table evidence_look;
      delete from corruption_finding where source like 'evidence.%';
      alter table corruption_finding drop column seen_at;
    `);
  }
}

/** As it was made first; functions/svc_erase_records.sql has it as it is. */
const ERASE_RECORDS = `
  create function svc_erase_records(wanted_tenant text, receipts uuid[], retrievals bytea[]) returns int
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    declare
      erased int;
      more int;
    begin
      perform set_config('svc.erased_tenant', wanted_tenant, true);
      if not exists (select from tenant t where t.tenant_id = wanted_tenant and t.state = 'deleted' and t.erasure_began_at is not null) then
        raise exception 'the erasure of tenant % has not begun', wanted_tenant using errcode = 'object_not_in_prerequisite_state';
      end if;
      delete from receipt r where r.tenant_id = wanted_tenant and r.receipt_id = any(receipts) and r.stream <> 'tenant';
      get diagnostics erased = row_count;
      delete from retrieval_receipt r where r.tenant_id = wanted_tenant and r.record_digest = any(retrievals);
      get diagnostics more = row_count;
      perform set_config('svc.erased_tenant', '', true);
      return erased + more;
    end $$;
  revoke execute on function svc_erase_records(text, uuid[], bytea[]) from public;
  grant execute on function svc_erase_records(text, uuid[], bytea[]) to svc_operator;
`;

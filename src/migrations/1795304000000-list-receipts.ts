import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the list of receipts needs: when a record came in, the session it is of, an index for each way of filtering, and counts that are kept
 * instead of counted. A count is a sum of rows: writers only add some, so none waits for another, and now and then one of them adds up what it finds.
 */
export class ListReceipts1795304000000 implements MigrationInterface {
  name = 'ListReceipts1795304000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS);
    await runner.query(TALLY);
    await runner.query(BACKFILL);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger tally on receipt;
      drop trigger tally on retrieval_receipt;
      drop function svc_tally_receipts(), svc_fold_tally(text, text);
      drop table receipt_tally;
      drop index receipt_time, receipt_kind, receipt_actor, receipt_session, retrieval_receipt_time, retrieval_receipt_actor, retrieval_receipt_session;
      alter table receipt drop column session, drop column ingested_at;
      alter table retrieval_receipt drop column session, drop column ingested_at;
    `);
  }
}

const COLUMNS = `
  -- Null in rows that are older than the column: they came in when they say they occurred.
  alter table receipt add column ingested_at timestamptz, add column session text check (session <> '');
  alter table receipt alter column ingested_at set default clock_timestamp();
  alter table retrieval_receipt add column ingested_at timestamptz, add column session text check (session <> '');
  alter table retrieval_receipt alter column ingested_at set default clock_timestamp();

  create index receipt_time on receipt (tenant_id, occurred_at);
  create index receipt_kind on receipt (tenant_id, kind, occurred_at);
  create index receipt_actor on receipt (tenant_id, actor, occurred_at);
  create index receipt_session on receipt (tenant_id, session, occurred_at) where session is not null;
  create index retrieval_receipt_time on retrieval_receipt (tenant_id, occurred_at);
  create index retrieval_receipt_actor on retrieval_receipt (tenant_id, actor, occurred_at);
  create index retrieval_receipt_session on retrieval_receipt (tenant_id, session, occurred_at) where session is not null;
`;

const TALLY = `
  -- Rows of session '' count all receipts of the tenant, those of any other session that session's alone.
  create table receipt_tally (
    tenant_id text not null,
    session text not null,
    family text not null check (family in ('execution', 'retrieval')),
    kind text not null,
    principal text not null,
    receipts bigint not null
  );
  create index receipt_tally_session on receipt_tally (tenant_id, session);
  select svc_secure_table('receipt_tally');

  -- Adds up rows that others have committed; what another transaction is adding up just now is left to it.
  create function svc_fold_tally(tenant text, of_session text) returns void language sql as $$
    with taken as (
      delete from receipt_tally where ctid = any(array(
        select ctid from receipt_tally where tenant_id = tenant and session = of_session limit 4096 for update skip locked))
      returning family, kind, principal, receipts
    )
    insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
    select tenant, of_session, family, kind, principal, sum(receipts) from taken group by family, kind, principal
  $$;

  create function svc_tally_receipts() returns trigger language plpgsql as $$
  declare
    one record;
  begin
    if tg_table_name = 'receipt' then
      insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
      select tenant_id, s.session, 'execution', kind, actor, count(*)
      from added cross join lateral (values (''), (added.session)) s (session) where s.session is not null group by 1, 2, 4, 5;
    else
      insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
      select tenant_id, s.session, 'retrieval', 'retrieval', actor, count(*)
      from added cross join lateral (values (''), (added.session)) s (session) where s.session is not null group by 1, 2, 5;
    end if;
    if random() < 0.01 then
      for one in
        select distinct tenant_id as tenant, s.session
        from added cross join lateral (values (''), (added.session)) s (session) where s.session is not null
      loop
        perform svc_fold_tally(one.tenant, one.session);
      end loop;
    end if;
    return null;
  end $$;
  create trigger tally after insert on receipt
    referencing new table as added for each statement execute function svc_tally_receipts();
  create trigger tally after insert on retrieval_receipt
    referencing new table as added for each statement execute function svc_tally_receipts();
`;

/** The owner sees no tenant's rows while row-level security is forced on it as well. */
const BACKFILL = `
  alter table receipt no force row level security;
  alter table retrieval_receipt no force row level security;
  alter table receipt_tally no force row level security;
  insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
  select tenant_id, '', 'execution', kind, actor, count(*) from receipt group by tenant_id, kind, actor
  union all
  select tenant_id, '', 'retrieval', 'retrieval', actor, count(*) from retrieval_receipt group by tenant_id, actor;
  alter table receipt force row level security;
  alter table retrieval_receipt force row level security;
  alter table receipt_tally force row level security;
`;

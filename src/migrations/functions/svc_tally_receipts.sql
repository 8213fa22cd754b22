create or replace function svc_tally_receipts() returns trigger language plpgsql as $$
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

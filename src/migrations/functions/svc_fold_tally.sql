-- Adds up rows that others have committed; what another transaction is adding up just now is left to it.
create or replace function svc_fold_tally(tenant text, of_session text) returns void language sql as $$
    with taken as (
      delete from receipt_tally where ctid = any(array(
        select ctid from receipt_tally where tenant_id = tenant and session = of_session limit 4096 for update skip locked))
      returning family, kind, principal, receipts
    )
    insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
    select tenant, of_session, family, kind, principal, sum(receipts) from taken group by family, kind, principal
  $$;

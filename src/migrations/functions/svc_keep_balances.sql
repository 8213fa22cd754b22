create or replace function svc_keep_balances() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    -- One order everywhere, so that two transfers never wait for each other.
    perform from ledger_account a where (a.tenant_id, a.account_id) in (select e.tenant_id, e.account_id from posted e)
      order by a.tenant_id collate "C", a.account_id for no key update;
    update ledger_account a set balance = a.balance + e.amount
    from (select tenant_id, account_id, sum(amount)::bigint as amount from posted group by tenant_id, account_id) e
    where a.tenant_id = e.tenant_id and a.account_id = e.account_id;
    return null;
  end $$;

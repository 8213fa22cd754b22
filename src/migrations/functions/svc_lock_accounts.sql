-- Opens the accounts that are not there yet and locks them all, in one order. Runs as the owner because a row lock
-- needs the right to write, which nobody else has; it reaches only the tenant of the transaction. A transaction calls
-- it once: see docs/economy.md.
create or replace function svc_lock_accounts(wanted text[]) returns setof ledger_account
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    me text := nullif(current_setting('svc.tenant_id', true), '');
  begin
    if me is null then
      raise exception 'no tenant is set';
    end if;
    insert into ledger_account (tenant_id, account_id, kind, agent_id)
    select me, w.account_id, split_part(w.account_id, ':', 1),
      case when strpos(w.account_id, ':') > 0 then substr(w.account_id, strpos(w.account_id, ':') + 1) end
    from (select distinct unnest(wanted) collate "C" as account_id) w
    where not exists (select from ledger_account a where a.tenant_id = me and a.account_id = w.account_id)
    order by w.account_id on conflict do nothing;
    return query select a.* from ledger_account a where a.tenant_id = me and a.account_id = any (wanted)
      order by a.account_id for no key update;
  end $$;

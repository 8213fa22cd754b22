-- Writes a transfer of the tenant of the transaction; amounts of 0 are left out.
create or replace function svc_post_transfer(transfer uuid, why text, about text, actor text, agent text, words text,
  undone uuid, accounts text[], amounts bigint[]) returns void
  language plpgsql as $$
  declare
    me text := nullif(current_setting('svc.tenant_id', true), '');
  begin
    insert into ledger_transfer (tenant_id, transfer_id, reason, reference, principal, agent_id, note, reverses)
    values (me, transfer, why, about, actor, agent, words, undone);
    insert into ledger_entry (tenant_id, transfer_id, entry_no, account_id, amount)
    select me, transfer, row_number() over (order by e.place), e.account_id, e.amount
    from unnest(accounts, amounts) with ordinality e(account_id, amount, place) where e.amount <> 0;
  end $$;

-- Undoes a transfer: every account gets back what it gave. False when there is none, or it was undone before.
create or replace function svc_reverse_transfer(me text, transfer uuid, undone uuid, why text, about text, actor text,
  words text) returns boolean
  language plpgsql as $$
  declare
    accounts text[];
    amounts bigint[];
    agent text;
  begin
    perform set_config('svc.tenant_id', me, true);
    select array_agg(e.account_id order by e.entry_no), array_agg(-e.amount order by e.entry_no) into accounts, amounts
    from ledger_entry e where e.tenant_id = me and e.transfer_id = undone;
    if accounts is null then
      return false;
    end if;
    perform svc_lock_accounts(accounts);
    if exists (select from ledger_transfer t where t.tenant_id = me and t.reverses = undone) then
      return false;
    end if;
    select t.agent_id into agent from ledger_transfer t where t.tenant_id = me and t.transfer_id = undone;
    perform svc_post_transfer(transfer, why, about, actor, agent, words, undone, accounts, amounts);
    return true;
  end $$;

-- Moves credits between two accounts; done once for each reason and reference.
create or replace function svc_move_credits(me text, transfer uuid, source text, target text, credits bigint,
  why text, about text, actor text, agent text, words text) returns boolean
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    perform svc_lock_accounts(array[source, target]);
    if exists (select from ledger_transfer t where t.tenant_id = me and t.reason = why and t.reference = about) then
      return false;
    end if;
    perform svc_post_transfer(transfer, why, about, actor, agent, words, null, array[source, target], array[-credits, credits]);
    return true;
  end $$;

-- At commit: a transfer has at least two entries, and they sum to zero. An entry added to an old transfer is held
-- against it as well.
create or replace function svc_check_transfer() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    entries bigint;
    total numeric;
  begin
    select count(*), coalesce(sum(e.amount), 0) into entries, total
    from ledger_entry e where e.tenant_id = new.tenant_id and e.transfer_id = new.transfer_id;
    if entries < 2 or total <> 0 then
      raise exception 'ledger transfer % is not balanced: % entries that sum to %', new.transfer_id, entries, total
        using errcode = 'check_violation', constraint = 'ledger_transfer_balanced';
    end if;
    return null;
  end $$;

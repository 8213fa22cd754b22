-- Counts the first of so many calls of a principal that may go on, and says how many those are; wait is for the others.
-- As of svc_count_tool_call its own commit does not wait for the disk.
create or replace function svc_count_tool_calls(me text, called_by text, call_limit int, wanted int, out counted int, out wait int)
  language plpgsql as $$
  declare
    starts timestamptz := date_trunc('minute', clock_timestamp());
  begin
    perform set_config('svc.tenant_id', me, true), set_config('synchronous_commit', 'off', true);
    counted := 0;
    wait := 0;
    insert into tool_window as w (tenant_id, principal, window_start, calls)
      select me, called_by, starts, wanted where wanted <= call_limit
      on conflict (tenant_id, principal, window_start) do update set calls = w.calls + wanted
        where w.calls + wanted <= call_limit;
    if found then
      counted := wanted;
      return;
    end if;
    while counted < wanted loop
      wait := svc_count_tool_call(me, called_by, call_limit);
      exit when wait > 0;
      counted := counted + 1;
    end loop;
  end $$;

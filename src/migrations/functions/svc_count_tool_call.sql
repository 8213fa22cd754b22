-- Counts a call. 0: it may go on; otherwise it was one too many, is not counted, and this is how many seconds the
-- window lasts. Its own commit does not wait for the disk. A count cannot be lost before what it admitted: the decision
-- comes after it in the log and does wait.
create or replace function svc_count_tool_call(me text, called_by text, call_limit int) returns int
  language plpgsql as $$
  declare
    starts timestamptz := date_trunc('minute', clock_timestamp());
  begin
    perform set_config('svc.tenant_id', me, true), set_config('synchronous_commit', 'off', true);
    insert into tool_window as w (tenant_id, principal, window_start, calls) values (me, called_by, starts, 1)
      on conflict (tenant_id, principal, window_start) do update set calls = w.calls + 1 where w.calls < call_limit;
    if found then
      return 0;
    end if;
    return greatest(1, ceil(extract(epoch from starts + interval '1 minute' - clock_timestamp())));
  end $$;

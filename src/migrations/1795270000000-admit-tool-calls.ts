import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tool calls are counted in windows and decided on before they go on to the API. */
export class AdmitToolCalls1795270000000 implements MigrationInterface {
  name = 'AdmitToolCalls1795270000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(WINDOWS);
    await runner.query(ADMISSION);
    await runner.query(`
      -- What the policy version stands for has changed: processes forget what they decided by.
      create trigger announce_change after insert or update on shield_policy for each row execute function svc_announce_shield();
      -- By which retention finds the old ones. Rows come in the order of their time, so that a block range index will do: it costs an insert next to nothing.
      create index shield_decision_age on shield_decision using brin (decided_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index shield_decision_age;
      drop trigger announce_change on shield_policy;
      drop procedure svc_admit_tool_call(text, text, text, integer, boolean, uuid, text, text, text, bytea, integer, text, uuid[], text, integer);
      drop function svc_tool_call_facts(text, text, text, text), svc_sampling_fingerprint(text), svc_count_tool_call(text, text, integer);
      drop table tool_window;
    `);
  }
}

const WINDOWS = `
  -- Calls of a principal in one minute of the database's clock. Not every caller's tenant has a row: the public tools have none.
  create table tool_window (
    tenant_id text not null,
    principal text not null,
    window_start timestamptz not null,
    calls integer not null,
    primary key (tenant_id, principal, window_start)
  -- A row is changed with every call: room for its next version on the same page spares the indexes.
  ) with (fillfactor = 50);
  select svc_secure_table('tool_window');

  -- Counts a call. 0: it may go on; otherwise it was one too many, is not counted, and this is how many seconds the window lasts.
  -- Its own commit does not wait for the disk. A count cannot be lost before what it admitted: the decision comes after it in the log and does wait.
  create function svc_count_tool_call(me text, called_by text, call_limit integer) returns integer language plpgsql as $$
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
  grant execute on function svc_count_tool_call(text, text, integer) to svc_app;
`;

const ADMISSION = `
  -- The sampling policies as they are: no policy version tells that they changed.
  create function svc_sampling_fingerprint(me text) returns text language sql stable as $$
    select md5(string_agg(o::text, ' ' order by o.sampling_policy_id)) from shield_sampling_policy o
    where o.tenant_id = me and o.rate_per_million > 0
  $$;

  -- What decisions on a principal's calls of a tool rest on, of one snapshot.
  create function svc_tool_call_facts(me text, called_by text, wanted_server text, wanted_digest text)
    returns table (facts json, sampling text) language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query select svc_shield_facts(me, called_by, wanted_server, wanted_digest, null), svc_sampling_fingerprint(me);
  end $$;
  grant execute on function svc_sampling_fingerprint(text), svc_tool_call_facts(text, text, text, text) to svc_app;

  -- Counts a call and keeps the decision that allowed it, as long as what that decision rests on is what stands. The count is committed first, so that
  -- calls of one principal do not wait for each other's decisions to reach the disk.
  -- state: admitted; limited (wait: seconds); changed: counted but not decided, the facts are others now.
  create procedure svc_admit_tool_call(me text, called_by text, called_as text, call_limit integer, is_counted boolean, new_decision uuid, tool text,
    server text, digest text, args_digest bytea, known_version integer, known_sampling text, sampled uuid[], inout state text, inout wait integer)
    language plpgsql as $$
  begin
    wait := 0;
    if not is_counted and call_limit > 0 then
      wait := svc_count_tool_call(me, called_by, call_limit);
      if wait > 0 then
        state := 'limited';
        return;
      end if;
      commit;
    end if;
    perform set_config('svc.tenant_id', me, true);
    insert into shield_decision (tenant_id, decision_id, principal, auth_type, action, server_id, tool_digest, arguments_digest, outcome, rule,
        policy_version, sampled_by)
      select me, new_decision, called_by, called_as, tool, server, digest, args_digest, 'allow', 'default', known_version, sampled
      where known_version = coalesce((select p.version from shield_policy p where p.tenant_id = me), 1)
        and known_sampling is not distinct from svc_sampling_fingerprint(me);
    state := case when found then 'admitted' else 'changed' end;
  end $$;
  grant execute on procedure svc_admit_tool_call(text, text, text, integer, boolean, uuid, text, text, text, bytea, integer, text, uuid[], text, integer)
    to svc_app;
`;

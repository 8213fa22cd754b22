import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tool calls of one principal that are admitted by one statement. */
export class AdmitToolCallsTogether1795927000000 implements MigrationInterface {
  name = 'AdmitToolCallsTogether1795927000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COUNT_TOOL_CALLS);
    await runner.query(ADMIT_TOOL_CALLS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop procedure svc_admit_tool_calls(text, text, integer, json, text[], integer);
      drop function svc_count_tool_calls(text, text, integer, integer);
    `);
  }
}

/** As it was made first; functions/ has it as it is. */
const COUNT_TOOL_CALLS = `
  create function svc_count_tool_calls(me text, called_by text, call_limit int, wanted int, out counted int, out wait int)
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
  grant execute on function svc_count_tool_calls(text, text, integer, integer) to svc_app;
`;

const ADMIT_TOOL_CALLS = `
  -- As svc_admit_tool_call, for several calls of one principal: the first of them, as many as the limit lets pass, are
  -- decided on, each as long as what its decision rests on is what stands. states has what became of each, in their
  -- order; wait is of those that are limited.
  create procedure svc_admit_tool_calls(me text, called_by text, call_limit integer, calls json,
    inout states text[], inout wait integer) language plpgsql as $$
  declare
    uncounted integer := (select count(*) from json_array_elements(calls) c where not (c ->> 'is_counted')::boolean);
    counted integer := uncounted;
  begin
    wait := 0;
    if uncounted > 0 and call_limit > 0 then
      select c.counted, c.wait into counted, wait from svc_count_tool_calls(me, called_by, call_limit, uncounted) c;
      commit;
    end if;
    perform set_config('svc.tenant_id', me, true);
    with standing as materialized (
      select coalesce((select p.version from shield_policy p where p.tenant_id = me), 1) as version,
        svc_sampling_fingerprint(me) as sampling
    ), asked as materialized (
      select c.*, c.is_counted or count(*) filter (where not c.is_counted) over (order by c.place) <= counted as passes
      from rows from (json_to_recordset(calls) as (is_counted boolean, decision_id uuid, auth_type text, action text,
        server_id text, tool_digest text, sampled_by uuid[], arguments_digest text, policy_version integer,
        sampling text)) with ordinality c (is_counted, decision_id, auth_type, action, server_id, tool_digest,
        sampled_by, arguments_digest, policy_version, sampling, place)
    ), decided as (
      insert into shield_decision (tenant_id, decision_id, principal, auth_type, action, server_id, tool_digest,
          arguments_digest, outcome, rule, policy_version, sampled_by)
        select me, a.decision_id, called_by, a.auth_type, a.action, a.server_id, a.tool_digest,
          decode(a.arguments_digest, 'hex'), 'allow', 'default', a.policy_version, a.sampled_by
        from asked a, standing s
        where a.passes and a.policy_version = s.version and a.sampling is not distinct from s.sampling
        order by a.place
        returning decision_id
    )
    select array_agg(case when not a.passes then 'limited' when d.decision_id is null then 'changed' else 'admitted' end
      order by a.place) into states
    from asked a left join decided d using (decision_id);
  end $$;
  grant execute on procedure svc_admit_tool_calls(text, text, integer, json, text[], integer) to svc_app;
`;

-- What decisions on a principal's calls of a tool rest on, of one snapshot.
create or replace function svc_tool_call_facts(me text, called_by text, wanted_server text, wanted_digest text)
  returns table (facts json, sampling text)
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query select svc_shield_facts(me, called_by, wanted_server, wanted_digest, null), svc_sampling_fingerprint(me);
  end $$;

-- All that a decision rests on, of one snapshot and in one round trip; its plans are kept by the connection. Times are
-- the statement's, not the transaction's: a switch or an approval counts from the moment it is asked about.
create or replace function svc_shield_facts(me text, wanted_principal text, wanted_server text, wanted_digest text,
  wanted_token bytea) returns json
  language plpgsql stable as $$
  declare
    server json;
    digest json;
    publishers json := '[]';
    approval json;
    policy shield_policy%rowtype;
  begin
    select p.* into policy from shield_policy p where p.tenant_id = me;
    if wanted_server is not null then
      select json_build_object('status', s.status, 'reason', s.reason, 'publisherId', s.publisher_id, 'toolDigests', s.tool_digests)
        into server from shield_server s where s.tenant_id = me and s.server_id = wanted_server;
    end if;
    if wanted_digest is not null then
      select json_build_object('status', d.status, 'reason', d.reason, 'publisherId', d.publisher_id)
        into digest from shield_digest d where d.tenant_id = me and d.digest = wanted_digest;
    end if;
    if server is not null or digest is not null then
      select coalesce(json_agg(json_build_object('publisherId', p.publisher_id, 'status', p.status, 'reason', p.reason) order by p.publisher_id), '[]')
        into publishers from shield_publisher p
        where p.tenant_id = me and p.publisher_id in (server->>'publisherId', digest->>'publisherId');
    end if;
    if wanted_token is not null then
      select json_build_object('approvalRequestId', a.approval_request_id, 'principal', a.principal, 'action', a.action,
          'state', case when a.state = 'approved' and a.expires_at <= statement_timestamp() then 'expired' else a.state end,
          'serverId', a.server_id, 'toolDigest', a.tool_digest, 'argumentsDigest', 'sha256:' || encode(a.arguments_digest, 'hex'),
          'policyVersion', a.policy_version, 'spendCredits', a.spend_credits, 'endReason', a.end_reason)
        into approval from shield_approval a where a.tenant_id = me and a.token_hash = wanted_token;
    end if;
    return json_build_object(
      'policyVersion', coalesce(policy.version, 1),
      'policy', json_build_object(
        'requireServerId', coalesce(policy.require_server_id, false), 'requireToolDigest', coalesce(policy.require_tool_digest, false),
        'requireRegistered', coalesce(policy.require_registered, false), 'requireUiIntegrity', coalesce(policy.require_ui_integrity, false),
        'spendWindow', case when policy.spend_window_seconds is not null then
          json_build_object('credits', policy.spend_window_credits, 'seconds', policy.spend_window_seconds) end),
      'switches', coalesce((
        select json_agg(json_build_object('killSwitchId', k.kill_switch_id, 'scope', k.scope, 'target', k.target, 'mode', k.mode,
          'includeReads', k.include_reads, 'reason', k.reason) order by k.kill_switch_id)
        from shield_kill_switch k where k.tenant_id = me and k.lifted_at is null
          and (k.expires_at is null or k.expires_at > statement_timestamp())
          and (k.scope in ('tenant', 'action', 'publisher') or k.target in (wanted_principal, wanted_server))), '[]'),
      'sampling', coalesce((
        select json_agg(json_build_object('samplingPolicyId', o.sampling_policy_id, 'action', o.match_action, 'outcome', o.match_outcome,
          'principal', o.match_principal, 'ratePerMillion', o.rate_per_million) order by o.sampling_policy_id)
        from shield_sampling_policy o where o.tenant_id = me and o.rate_per_million > 0), '[]'),
      'server', server, 'digest', digest, 'publishers', publishers, 'approval', approval,
      'hasApproved', wanted_token is null and exists (
        select from shield_approval a where a.tenant_id = me and a.principal = wanted_principal and a.state = 'approved'
          and a.expires_at > statement_timestamp()));
  end $$;

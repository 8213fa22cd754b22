import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The shield: decisions, approvals, kill switches, trust, sampling, and drills that try all of it. */
export class CreateShield1795265000000 implements MigrationInterface {
  name = 'CreateShield1795265000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(POLICY);
    await runner.query(APPROVALS);
    await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger end_approvals on principal_end;
      drop table shield_drill, shield_ui_session, shield_approval, shield_decision, shield_sampling_policy, shield_server, shield_digest,
        shield_publisher, shield_kill_switch, shield_policy cascade;
      drop function svc_shield_facts(text, text, text, text, bytea), svc_shield_read_switches(text), svc_announce_shield(), svc_emit_decision(), svc_emit_approval(), svc_end_approvals();
    `);
  }
}

const POLICY = `
  -- Raised by every change of trust and kill switches; a tenant without a row is at version 1.
  create table shield_policy (
    tenant_id text primary key references tenant,
    version integer not null,
    changed_by text not null,
    changed_at timestamptz not null default now()
  );
  select svc_secure_table('shield_policy');

  create table shield_kill_switch (
    tenant_id text not null references tenant,
    kill_switch_id uuid not null,
    scope text not null check (scope in ('tenant', 'action', 'principal', 'server', 'publisher')),
    target text,
    mode text not null check (mode in ('deny', 'require_approval')),
    include_reads boolean not null,
    reason text not null,
    created_by text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    lifted_by text,
    lifted_at timestamptz,
    lift_reason text,
    -- Set by a drill on an action that only the drill performs: in no list, and no change of policy.
    drill_id uuid,
    primary key (tenant_id, kill_switch_id),
    check ((scope = 'tenant') = (target is null)),
    check ((lifted_at is null) = (lifted_by is null))
  );
  create index shield_kill_switch_standing on shield_kill_switch (tenant_id) where lifted_at is null;
  select svc_secure_table('shield_kill_switch');

  create table shield_publisher (
    tenant_id text not null references tenant,
    publisher_id text not null,
    name text not null,
    -- Ed25519, 32 bytes: with one, a definition is pinned only with the publisher's signature.
    public_key bytea check (length(public_key) = 32),
    status text not null check (status in ('trusted', 'revoked')),
    reason text not null,
    created_at timestamptz not null default now(),
    changed_by text not null,
    changed_at timestamptz not null default now(),
    primary key (tenant_id, publisher_id)
  );
  select svc_secure_table('shield_publisher');

  create table shield_digest (
    tenant_id text not null references tenant,
    digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
    tool text,
    publisher_id text,
    status text not null check (status in ('trusted', 'revoked')),
    reason text not null,
    created_at timestamptz not null default now(),
    changed_by text not null,
    changed_at timestamptz not null default now(),
    drill_id uuid,
    primary key (tenant_id, digest),
    foreign key (tenant_id, publisher_id) references shield_publisher
  );
  select svc_secure_table('shield_digest');

  create table shield_server (
    tenant_id text not null references tenant,
    server_id text not null,
    url text,
    publisher_id text not null,
    -- The tool definitions it is trusted with; empty: any that is not revoked.
    tool_digests text[] not null,
    status text not null check (status in ('active', 'quarantined', 'blocked')),
    reason text not null,
    created_at timestamptz not null default now(),
    changed_by text not null,
    changed_at timestamptz not null default now(),
    primary key (tenant_id, server_id),
    foreign key (tenant_id, publisher_id) references shield_publisher
  );
  select svc_secure_table('shield_server');

  create table shield_sampling_policy (
    tenant_id text not null references tenant,
    sampling_policy_id uuid not null,
    name text not null,
    match_action text,
    match_outcome text check (match_outcome in ('allow', 'approval_required', 'deny')),
    match_principal text,
    rate_per_million integer not null check (rate_per_million between 0 and 1000000),
    created_at timestamptz not null default now(),
    changed_by text not null,
    changed_at timestamptz not null default now(),
    primary key (tenant_id, sampling_policy_id),
    unique (tenant_id, name)
  );
  select svc_secure_table('shield_sampling_policy');

  -- What may stop a read: one round trip for a process that does not know it yet.
  create function svc_shield_read_switches(me text)
    returns table (scope text, target text, include_reads boolean) language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.scope, s.target, s.include_reads from shield_kill_switch s
      where s.tenant_id = me and s.lifted_at is null and (s.include_reads or s.scope = 'action')
        and (s.expires_at is null or s.expires_at > statement_timestamp());
  end $$;
  grant execute on function svc_shield_read_switches(text) to svc_app;
`;

const APPROVALS = `
  create table shield_decision (
    tenant_id text not null,
    decision_id uuid not null,
    decided_at timestamptz not null default clock_timestamp(),
    principal text not null,
    auth_type text not null,
    action text not null,
    server_id text,
    tool_digest text,
    arguments_digest bytea not null check (length(arguments_digest) = 32),
    outcome text not null check (outcome in ('allow', 'approval_required', 'deny')),
    rule text not null,
    denial_type text,
    reason text,
    policy_version integer not null,
    -- The request that was made or found, or whose approval was used.
    approval_request_id uuid,
    sampled_by uuid[] not null,
    primary key (tenant_id, decision_id),
    check ((outcome = 'deny') = (denial_type is not null))
  );
  create index shield_decision_refused on shield_decision (tenant_id, decision_id) where outcome <> 'allow';
  create index shield_decision_sampled on shield_decision (tenant_id, decision_id) where sampled_by <> '{}';
  select svc_secure_table('shield_decision');
  revoke update, delete on shield_decision from svc_app;

  create table shield_approval (
    tenant_id text not null references tenant,
    approval_request_id uuid not null,
    state text not null check (state in ('pending', 'approved', 'rejected', 'used', 'expired', 'void')),
    principal text not null,
    action text not null,
    server_id text,
    tool_digest text,
    arguments_digest bytea not null check (length(arguments_digest) = 32),
    -- RFC 8785 text of the arguments, where it is not too long to be looked at.
    arguments text,
    arguments_bytes integer not null,
    policy_version integer not null,
    -- The most it may spend; none where the request was not about spending.
    spend_credits bigint check (spend_credits > 0),
    -- The refusal that asked for it; none when it was proposed.
    decision_id uuid,
    reason text not null,
    requested_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    resolved_by text,
    resolved_at timestamptz,
    resolution_reason text,
    ui_session_id uuid,
    receipt_id uuid,
    token_hash bytea check (length(token_hash) = 32),
    used_at timestamptz,
    used_decision_id uuid,
    ended_at timestamptz,
    end_reason text,
    drill_id uuid,
    primary key (tenant_id, approval_request_id),
    unique (tenant_id, token_hash),
    check (state <> 'approved' or (token_hash is not null and resolved_by is not null and resolved_by <> principal)),
    check ((state = 'used') = (used_at is not null))
  );
  -- An equal request finds the pending one instead of making a second.
  create unique index shield_approval_pending on shield_approval
    (tenant_id, principal, action, coalesce(server_id, ''), coalesce(tool_digest, ''), arguments_digest, policy_version, coalesce(spend_credits, 0)) where state = 'pending';
  create index shield_approval_standing on shield_approval (tenant_id, principal) where state in ('pending', 'approved');
  select svc_secure_table('shield_approval');

  create table shield_ui_session (
    tenant_id text not null references tenant,
    ui_session_id uuid not null,
    approval_request_id uuid not null,
    principal text not null,
    nonce text not null,
    shown_text text not null,
    shown_digest bytea not null check (length(shown_digest) = 32),
    state text not null check (state in ('open', 'used', 'mismatched', 'ended')),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    closed_at timestamptz,
    -- What came instead of shown_digest, and from whom.
    mismatch_digest text,
    mismatch_by text,
    primary key (tenant_id, ui_session_id),
    foreign key (tenant_id, approval_request_id) references shield_approval
  );
  select svc_secure_table('shield_ui_session');

  create table shield_drill (
    tenant_id text not null references tenant,
    drill_id uuid not null,
    kind text not null,
    reason text not null,
    state text not null check (state in ('queued', 'running', 'completed', 'failed')),
    requested_by text not null,
    requested_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    detected boolean,
    detection_us bigint,
    recovery_us bigint,
    passed boolean,
    steps jsonb not null default '[]',
    error text,
    primary key (tenant_id, drill_id)
  );
  select svc_secure_table('shield_drill');

  -- All that a decision rests on, of one snapshot and in one round trip; its plans are kept by the connection. Times are the statement's, not
  -- the transaction's: a switch or an approval counts from the moment it is asked about.
  create function svc_shield_facts(me text, wanted_principal text, wanted_server text, wanted_digest text, wanted_token bytea)
    returns json language plpgsql stable as $$
  declare
    server json;
    digest json;
    publishers json := '[]';
    approval json;
  begin
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
      'policyVersion', coalesce((select p.version from shield_policy p where p.tenant_id = me), 1),
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
      'server', server, 'digest', digest, 'publishers', publishers, 'approval', approval);
  end $$;
  grant execute on function svc_shield_facts(text, text, text, text, bytea) to svc_app;
`;

const TRIGGERS = `
  create function svc_announce_shield() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_shield_changed', new.tenant_id);
    return null;
  end $$;
  create trigger announce_change after insert or update on shield_kill_switch for each row execute function svc_announce_shield();

  -- No decision without its event: the database itself writes it, in the same transaction and without another round trip.
  create function svc_emit_decision() returns trigger language plpgsql as $$
  begin
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (new.tenant_id, new.decision_id, 'shield.decision', new.decision_id,
      jsonb_build_object('decisionId', new.decision_id, 'principal', new.principal, 'action', new.action, 'serverId', new.server_id,
        'toolDigest', new.tool_digest, 'argumentsDigest', 'sha256:' || encode(new.arguments_digest, 'hex'), 'outcome', new.outcome,
        'rule', new.rule, 'denial', case when new.outcome = 'deny' then jsonb_build_object('type', new.denial_type, 'reason', new.reason) end,
        'policyVersion', new.policy_version, 'approvalRequestId', new.approval_request_id, 'sampled', new.sampled_by <> '{}'));
    return null;
  end $$;
  create trigger emit_event after insert on shield_decision for each row execute function svc_emit_decision();

  create function svc_emit_approval() returns trigger language plpgsql as $$
  begin
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (new.tenant_id, gen_random_uuid(),
      'shield.approval_' || case new.state when 'pending' then 'requested' else new.state end, new.approval_request_id,
      jsonb_build_object('approvalRequestId', new.approval_request_id, 'state', new.state, 'principal', new.principal, 'action', new.action,
        'argumentsDigest', 'sha256:' || encode(new.arguments_digest, 'hex'), 'policyVersion', new.policy_version, 'expiresAt', new.expires_at,
        'resolvedBy', new.resolved_by, 'reason', coalesce(new.end_reason, new.resolution_reason, new.reason)));
    return null;
  end $$;
  create trigger emit_event after insert on shield_approval for each row when (new.drill_id is null) execute function svc_emit_approval();
  create trigger emit_change after update of state on shield_approval
    for each row when (old.state <> new.state and new.drill_id is null) execute function svc_emit_approval();

  -- A principal that ended has nothing pending, no token left, and nothing it granted is used any more.
  create function svc_end_approvals() returns trigger language plpgsql as $$
  begin
    update shield_approval set state = 'void', ended_at = now(), end_reason = 'The principal that asked has ended: ' || new.reason
      where tenant_id = new.tenant_id and principal = new.principal and state in ('pending', 'approved');
    update shield_approval set state = 'void', ended_at = now(), end_reason = 'The principal that approved has ended: ' || new.reason
      where tenant_id = new.tenant_id and resolved_by = new.principal and state = 'approved';
    update shield_ui_session set state = 'ended', closed_at = now()
      where tenant_id = new.tenant_id and principal = new.principal and state = 'open';
    return null;
  end $$;
  create trigger end_approvals after insert on principal_end for each row execute function svc_end_approvals();
`;

import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { RecordedDecision, StandingFacts } from './policy-simulation.types.js';

/** The decisions of the open unit of work's tenant, and what they would rest on now. */
@Injectable()
export class PolicySimulationStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** The members of svc_shield_facts, of every call at once. */
  async readStanding(): Promise<StandingFacts> {
    const [row] = await this.tenancy.query<{ standing: StandingFacts }>(STANDING, [this.tenancy.tenant]);
    return row!.standing;
  }

  /** Newest first, before one where that is given. What is spent is kept for as long as the longest window. */
  async listBefore(before: string | undefined, take: number): Promise<RecordedDecision[]> {
    const rows = await this.tenancy.query<Row>(DECISIONS, [this.tenancy.tenant, before ?? null, take]);
    return rows.map((row) => ({
      ...{ decisionId: row.decision_id, decidedAt: row.decided_at, principal: row.principal, authType: row.auth_type },
      ...{ action: row.action, serverId: row.server_id, toolDigest: row.tool_digest, outcome: row.outcome },
      ...{ rule: row.rule, credits: row.credits },
    }));
  }
}

interface Row {
  decision_id: string;
  decided_at: Date;
  principal: string;
  auth_type: string;
  action: string;
  server_id: string | null;
  tool_digest: string | null;
  outcome: RecordedDecision['outcome'];
  rule: string;
  credits: number;
}

const DECISIONS = `
  with page as materialized (
    select * from shield_decision d where d.tenant_id = $1 and ($2::uuid is null or d.decision_id < $2) order by d.decision_id desc limit $3
  )
  select d.decision_id, d.decided_at, d.principal, d.auth_type, d.action, d.server_id, d.tool_digest, d.outcome, d.rule,
    coalesce(s.credits, case when d.outcome <> 'allow' then a.spend_credits end, 0)::float8 as credits
  from page d
    left join shield_spending s on s.tenant_id = $1 and s.decision_id = d.decision_id
    left join shield_approval a on a.tenant_id = $1 and a.approval_request_id = d.approval_request_id
  order by d.decision_id desc`;

const STANDING = `
  select json_build_object(
    'policyVersion', coalesce(max(p.version), 1),
    'policy', json_build_object(
      'requireServerId', coalesce(bool_or(p.require_server_id), false), 'requireToolDigest', coalesce(bool_or(p.require_tool_digest), false),
      'requireRegistered', coalesce(bool_or(p.require_registered), false), 'requireUiIntegrity', coalesce(bool_or(p.require_ui_integrity), false),
      'spendWindow', case when max(p.spend_window_seconds) is not null then
        json_build_object('credits', max(p.spend_window_credits), 'seconds', max(p.spend_window_seconds)) end),
    'switches', coalesce((
      select json_agg(json_build_object('killSwitchId', k.kill_switch_id, 'scope', k.scope, 'target', k.target, 'mode', k.mode,
        'includeReads', k.include_reads, 'reason', k.reason) order by k.kill_switch_id)
      from shield_kill_switch k where k.tenant_id = $1 and k.lifted_at is null and (k.expires_at is null or k.expires_at > statement_timestamp())), '[]'),
    'servers', coalesce((
      select json_object_agg(s.server_id, json_build_object('status', s.status, 'reason', s.reason, 'publisherId', s.publisher_id, 'toolDigests', s.tool_digests))
      from shield_server s where s.tenant_id = $1), '{}'),
    'digests', coalesce((
      select json_object_agg(d.digest, json_build_object('status', d.status, 'reason', d.reason, 'publisherId', d.publisher_id))
      from shield_digest d where d.tenant_id = $1), '{}'),
    'publishers', coalesce((
      select json_agg(json_build_object('publisherId', p.publisher_id, 'status', p.status, 'reason', p.reason) order by p.publisher_id)
      from shield_publisher p where p.tenant_id = $1), '[]')) as standing
  from shield_policy p where p.tenant_id = $1`;

import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { namedDigest } from '../../../../evidence/digest.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { APPROVAL_SECONDS } from '../approvals/approval.rules.js';
import { DRILL_KINDS } from '../drills/drills.types.js';
import { toKillSwitch } from '../kill-switches/kill-switches.service.js';
import { KillSwitchesStore } from '../kill-switches/kill-switches.store.js';
import type { PolicyRow } from '../policy/policy.entity.js';
import { PolicyStore } from '../policy/policy.store.js';
import { toPolicy } from '../policy/policy.views.js';
import { OUTCOMES, SWITCH_MODES, SWITCH_SCOPES } from '../shield.types.js';
import { SPENDING_THRESHOLD_CREDITS } from './decision.rules.js';
import type { Decision, DecisionList, DecisionListQuery, ShieldCapabilities } from './decisions.dto.js';
import { DecisionsStore, type DecisionRow } from './decisions.store.js';
import { OverviewStore } from './overview.store.js';

/** What the shield does for a tenant, and what it decided. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly overview: OverviewStore,
    private readonly policies: PolicyStore,
    private readonly switches: KillSwitchesStore,
    private readonly decisions: DecisionsStore,
  ) {}

  capabilities(caller: TenantCaller): Promise<ShieldCapabilities> {
    return this.tenancy.run(caller.tenantId, async () => ({
      ...policyOf(await this.policies.find()),
      outcomes: [...OUTCOMES],
      order: ['kill_switches', 'trust', 'policy'],
      spendingThresholdCredits: SPENDING_THRESHOLD_CREDITS,
      approvalSeconds: APPROVAL_SECONDS,
      killSwitchScopes: [...SWITCH_SCOPES],
      killSwitchModes: [...SWITCH_MODES],
      drillKinds: [...DRILL_KINDS],
      alwaysOpen: ['/v1/shield/*', '/frontdoor/*'],
      activeKillSwitches: (await this.switches.list({ active: true }, undefined, 200)).map(toKillSwitch),
      counts: await this.overview.count(),
    }));
  }

  async list(caller: TenantCaller, query: DecisionListQuery): Promise<DecisionList> {
    const after = decodeCursor(query.cursor, ['uuid'])?.[0];
    const rows = await this.tenancy.run(caller.tenantId, () => this.decisions.list(query, after, query.limit + 1));
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.decision_id]);
    return { decisions: page.map(toDecision), next_cursor };
  }
}

const policyOf = (row: PolicyRow | undefined) => ({ policyVersion: row?.version ?? 1, policy: toPolicy(row) });

const toDecision = (row: DecisionRow): Decision => ({
  decisionId: row.decision_id,
  decidedAt: row.decided_at.toISOString(),
  principal: row.principal,
  authType: row.auth_type,
  action: row.action,
  serverId: row.server_id,
  toolDigest: row.tool_digest,
  argumentsDigest: namedDigest('sha256', row.arguments_digest),
  outcome: row.outcome,
  rule: row.rule,
  reason: row.reason,
  policyVersion: row.policy_version,
  approvalRequestId: row.approval_request_id,
  sampledBy: row.sampled_by,
});

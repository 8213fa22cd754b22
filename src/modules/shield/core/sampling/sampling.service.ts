import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import type { PageQuery } from '../../../../common/fields/page.dto.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { Outcome } from '../shield.types.js';
import { TargetsService } from '../targets.service.js';
import type { SamplingPolicy, SamplingPolicyList, SamplingPolicyRequest } from './sampling.dto.js';
import { SamplingStore, type SamplingPolicyRow } from './sampling.store.js';

/**
 * Which decisions are kept for review. Sampling decides nothing, so that a change of it leaves the policy version
 * alone.
 */
@Injectable()
export class SamplingService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly policies: SamplingStore,
    private readonly targets: TargetsService,
    private readonly outbox: Outbox,
  ) {}

  async put(caller: TenantCaller, request: SamplingPolicyRequest): Promise<SamplingPolicy> {
    const { name, ratePerMillion } = request;
    const match = this.matchOf(request);
    const given = {
      sampling_policy_id: uuid(),
      name,
      match_action: match.action,
      match_outcome: match.outcome,
      match_principal: match.principal,
      rate_per_million: ratePerMillion,
    };
    const policy = this.toPolicy(await this.policies.put(given, caller.principal));
    const data = { name, match: policy.match, ratePerMillion, actor: caller.principal };
    this.outbox.emit({ kind: 'shield.sampling_policy_changed', subject: policy.samplingPolicyId, data });
    return policy;
  }

  async list(caller: TenantCaller, query: PageQuery): Promise<SamplingPolicyList> {
    const after = decodeCursor(query.cursor, ['text'])?.[0];
    const rows = await this.tenancy.run(caller.tenantId, () => this.policies.list(after, query.limit + 1));
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.name]);
    return { samplingPolicies: page.map((row) => this.toPolicy(row)), next_cursor };
  }

  /** @throws ValidationFailed naming what can never fit a decision */
  private matchOf({ match = {}, ratePerMillion }: SamplingPolicyRequest): Match {
    const { action = null, outcome = null, principal = null } = match;
    const found = {
      action: action === null ? null : this.targets.actionOf(action, 'body.match.action', { allowsStar: true }),
      outcome,
      principal: principal === null ? null : this.targets.principalOf(principal, 'body.match.principal'),
    };
    // A rate of 0 ends a policy, whatever it was for.
    if (ratePerMillion > 0 && this.missesAllowedReads(found)) throw invalid('body.match.action', LEAVES_NO_DECISION);
    return found;
  }

  private missesAllowedReads({ action, outcome }: Match): boolean {
    return action !== null && (outcome ?? 'allow') === 'allow' && !this.targets.leavesDecisions(action);
  }

  private toPolicy(row: SamplingPolicyRow): SamplingPolicy {
    const match = { action: row.match_action, outcome: row.match_outcome, principal: row.match_principal };
    return {
      samplingPolicyId: row.sampling_policy_id,
      name: row.name,
      match,
      ratePerMillion: row.rate_per_million,
      sampled: row.sampled,
      remark: this.missesAllowedReads(match) ? `match.action ${LEAVES_NO_DECISION}` : null,
      createdAt: row.created_at.toISOString(),
      updatedBy: row.changed_by,
      updatedAt: row.changed_at.toISOString(),
    };
  }
}

interface Match {
  action: string | null;
  outcome: Outcome | null;
  principal: string | null;
}

const LEAVES_NO_DECISION =
  'names only routes that read: where a call of them is allowed it leaves no decision, so there is nothing to keep. Name a route that changes something, or a tool (query_vault), or set match.outcome to deny or approval_required';

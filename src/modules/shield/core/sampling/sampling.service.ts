import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import type { PageQuery } from '../../../../common/fields/page.dto.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
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
    const { name, match = {}, ratePerMillion } = request;
    const action = match.action ?? null;
    const given = {
      sampling_policy_id: uuid(),
      name,
      match_action: action === null ? null : this.targets.actionOf(action, 'body.match.action', { allowsStar: true }),
      match_outcome: match.outcome ?? null,
      match_principal: match.principal ?? null,
      rate_per_million: ratePerMillion,
    };
    const policy = toPolicy(await this.policies.put(given, caller.principal));
    const data = { name, match: policy.match, ratePerMillion, actor: caller.principal };
    await this.outbox.emit({ kind: 'shield.sampling_policy_changed', subject: policy.samplingPolicyId, data });
    return policy;
  }

  async list(caller: TenantCaller, query: PageQuery): Promise<SamplingPolicyList> {
    const after = decodeCursor(query.cursor, ['text'])?.[0];
    const rows = await this.tenancy.run(caller.tenantId, () => this.policies.list(after, query.limit + 1));
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.name]);
    return { samplingPolicies: page.map(toPolicy), next_cursor };
  }
}

const toPolicy = (row: SamplingPolicyRow): SamplingPolicy => ({
  samplingPolicyId: row.sampling_policy_id,
  name: row.name,
  match: { action: row.match_action, outcome: row.match_outcome, principal: row.match_principal },
  ratePerMillion: row.rate_per_million,
  sampled: row.sampled,
  createdAt: row.created_at.toISOString(),
  updatedBy: row.changed_by,
  updatedAt: row.changed_at.toISOString(),
});

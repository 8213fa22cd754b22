import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { Outcome } from '../shield.types.js';

export interface SamplingPolicyRow {
  sampling_policy_id: string;
  name: string;
  match_action: string | null;
  match_outcome: Outcome | null;
  match_principal: string | null;
  rate_per_million: number;
  created_at: Date;
  changed_by: string;
  changed_at: Date;
  sampled: number;
}

export type GivenSamplingPolicy = Pick<
  SamplingPolicyRow,
  'sampling_policy_id' | 'name' | 'match_action' | 'match_outcome' | 'match_principal' | 'rate_per_million'
>;

const COLUMNS = `p.sampling_policy_id, p.name, p.match_action, p.match_outcome, p.match_principal, p.rate_per_million, p.created_at, p.changed_by,
  p.changed_at, (select count(*)::int from shield_decision d where d.tenant_id = p.tenant_id and d.sampled_by <> '{}'
    and p.sampling_policy_id = any(d.sampled_by)) as sampled`;

@Injectable()
export class SamplingStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** One of that name is changed and keeps its id. */
  async put(given: GivenSamplingPolicy, principal: string): Promise<SamplingPolicyRow> {
    await this.tenancy.query(
      `insert into shield_sampling_policy (tenant_id, sampling_policy_id, name, match_action, match_outcome, match_principal, rate_per_million, changed_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (tenant_id, name) do update set match_action = excluded.match_action, match_outcome = excluded.match_outcome,
         match_principal = excluded.match_principal, rate_per_million = excluded.rate_per_million, changed_by = excluded.changed_by, changed_at = now()`,
      [
        this.tenancy.tenant,
        given.sampling_policy_id,
        given.name,
        given.match_action,
        given.match_outcome,
        given.match_principal,
        given.rate_per_million,
        principal,
      ],
    );
    const [row] = await this.tenancy.query<SamplingPolicyRow>(
      `select ${COLUMNS} from shield_sampling_policy p where p.tenant_id = $1 and p.name = $2`,
      [this.tenancy.tenant, given.name],
    );
    if (!row) throw new Error('a sampling policy was not written');
    return row;
  }

  list(after: string | undefined, limit: number): Promise<SamplingPolicyRow[]> {
    return this.tenancy.query<SamplingPolicyRow>(
      `select ${COLUMNS} from shield_sampling_policy p where p.tenant_id = $1 and ($2::text is null or p.name > $2) order by p.name limit $3`,
      [this.tenancy.tenant, after ?? null, limit],
    );
  }
}

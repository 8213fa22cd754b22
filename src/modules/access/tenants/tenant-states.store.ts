import { Injectable } from '@nestjs/common';
import type { Tier } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { TenantState } from '../../../common/tenancy/tenant-state.js';
import type { TenantStanding } from './tenants.types.js';

const COLUMNS =
  'tenant_id, tier, created_at, implicit, state, state_since, state_reason, erase_after, erasure_began_at, erased_at';

/** How long a deleted tenant can be brought back (D88). */
const KEPT = `interval '30 days'`;

/** The row of the open unit of work's tenant. */
@Injectable()
export class TenantStatesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Locked until the unit of work ends, also against changes of seats.
   * @returns undefined where there is no such tenant
   */
  async lock(): Promise<TenantStanding | undefined> {
    const [row] = await this.tenancy.query<TenantStanding>(
      `select ${COLUMNS} from tenant where tenant_id = $1 for no key update`,
      [this.tenancy.tenant],
    );
    return row;
  }

  setTier(tier: Tier): Promise<TenantStanding> {
    return this.change('tier = $2', [tier]);
  }

  setState(state: TenantState, reason: string | null): Promise<TenantStanding> {
    return this.change(
      `state = $2, state_since = now(), state_reason = $3, erase_after = case when $2 = 'deleted' then now() + ${KEPT} end`,
      [state, reason],
    );
  }

  /** The 30 days are over now. */
  endGrace(): Promise<TenantStanding> {
    return this.change('erase_after = least(erase_after, now())', []);
  }

  /** @returns undefined when somebody else has said so before */
  async markErased(): Promise<TenantStanding | undefined> {
    const [row] = await this.tenancy.query<TenantStanding>(
      `update tenant set erased_at = now() where tenant_id = $1 and erasure_began_at is not null and erased_at is null returning ${COLUMNS}`,
      [this.tenancy.tenant],
    );
    return row;
  }

  private async change(assignments: string, values: unknown[]): Promise<TenantStanding> {
    const [row] = await this.tenancy.query<TenantStanding>(
      `update tenant set ${assignments} where tenant_id = $1 returning ${COLUMNS}`,
      [this.tenancy.tenant, ...values],
    );
    if (!row) throw new Error('the tenant has no row');
    return row;
  }
}

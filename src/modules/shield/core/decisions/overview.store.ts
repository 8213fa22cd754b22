import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ShieldCounts } from './decisions.dto.js';

/** How much of everything the shield holds for a tenant. */
@Injectable()
export class OverviewStore {
  constructor(private readonly tenancy: Tenancy) {}

  async count(): Promise<ShieldCounts> {
    const [row] = await this.tenancy.query<ShieldCounts>(
      `select
         (select count(*)::int from shield_publisher where tenant_id = $1 and status = 'trusted') as "trustedPublishers",
         (select count(*)::int from shield_publisher where tenant_id = $1 and status = 'revoked') as "revokedPublishers",
         (select count(*)::int from shield_digest where tenant_id = $1 and drill_id is null and status = 'trusted') as "trustedDigests",
         (select count(*)::int from shield_digest where tenant_id = $1 and drill_id is null and status = 'revoked') as "revokedDigests",
         (select count(*)::int from shield_server where tenant_id = $1 and status = 'active') as "activeServers",
         (select count(*)::int from shield_server where tenant_id = $1 and status <> 'active') as "restrictedServers",
         (select count(*)::int from shield_approval where tenant_id = $1 and drill_id is null and state = 'pending'
            and expires_at > statement_timestamp()) as "pendingApprovals",
         (select count(*)::int from shield_sampling_policy where tenant_id = $1 and rate_per_million > 0) as "samplingPolicies"`,
      [this.tenancy.tenant],
    );
    if (!row) throw new Error('the shield was not counted');
    return row;
  }
}

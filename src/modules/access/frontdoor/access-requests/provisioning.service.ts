import { Injectable } from '@nestjs/common';
import type { TenantCaller, Tier } from '../../../../common/contract/caller.js';
import { insertKey } from '../../../../common/keys/key-rows.js';
import { insertTenant } from '../../../../common/keys/tenant-rows.js';
import { invalid, type ValidationFailed } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { SeatInvitesService } from '../../seats/invites/seat-invites.service.js';
import { TenantTaken } from '../frontdoor.problems.js';
import type { AccessRequestRow } from './access-request.entity.js';
import type { ProvisionedTenant } from './access-requests.dto.js';
import { tenantNameFor } from './access-requests.rules.js';

/** What the reviewer gives in place of what was asked for. */
export interface Choices {
  newTenantId?: string;
  tier?: Tier;
}

/**
 * Makes what an approved request asked for: a tenant, its first key and its owner's invitation, as part of the
 * decision's unit of work.
 */
@Injectable()
export class ProvisioningService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly invites: SeatInvitesService,
  ) {}

  /** @throws ValidationFailed where no name was given that can be a tenant's; TenantTaken */
  async provision(reviewer: TenantCaller, request: AccessRequestRow, choices: Choices): Promise<ProvisionedTenant> {
    const tenantId = tenantNameFor(request, choices.newTenantId);
    if (tenantId === undefined) throw nameNeeded(request);
    const tier = choices.tier ?? request.wantedTier ?? 'free';
    return this.tenancy.enter(tenantId, async () => {
      const query = this.tenancy.query.bind(this.tenancy);
      // Waits for a concurrent transaction that creates a tenant of this name.
      if (!(await insertTenant(query, { tenantId, tier })))
        throw new TenantTaken({ newTenantId: tenantId }, 'Give another name in body.newTenantId');
      const { key } = await insertKey(query, { tenantId, createdBy: reviewer.principal, label: 'first key' });
      const { inviteToken, inviteUrl, expiresAt } = await this.invites.inviteFirstOwner(
        request.requesterEmail,
        reviewer,
      );
      const invite = { inviteToken, inviteUrl, expiresAt };
      return { tenant_id: tenantId, tier, api_key: key.apiKey, invite };
    });
  }
}

function nameNeeded({ wantedTenantId: wanted }: AccessRequestRow): ValidationFailed {
  return invalid(
    'body.newTenantId',
    wanted === null
      ? 'is needed: the request names neither a tenant nor a company to name one after'
      : `is needed: ${JSON.stringify(wanted)} cannot be a tenant's name`,
  );
}

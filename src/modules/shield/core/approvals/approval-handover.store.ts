import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ApprovalState } from '../shield.types.js';

export interface HandedOver {
  state: ApprovalState;
  resolution_reason: string | null;
  is_handed_over: boolean;
}

@Injectable()
export class ApprovalHandoverStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Gives an approval that stands another token; the one before it is void from then on.
   * @returns what became of the principal's own request
   */
  async handOver(approvalRequestId: string, principal: string, tokenHash: Uint8Array): Promise<HandedOver | undefined> {
    const [row] = await this.tenancy.query<HandedOver>(
      `with handed_over as (
         update shield_approval set token_hash = $4
         where tenant_id = $1 and approval_request_id = $2 and principal = $3 and state = 'approved' and expires_at > statement_timestamp()
         returning 1)
       select case when state in ('pending', 'approved') and expires_at <= statement_timestamp() then 'expired' else state end as state,
         resolution_reason, exists (select from handed_over) as is_handed_over
       from shield_approval where tenant_id = $1 and approval_request_id = $2 and principal = $3`,
      [this.tenancy.tenant, approvalRequestId, principal, tokenHash],
    );
    return row;
  }
}

import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { sha256 } from '../../../common/evidence/digest.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ApprovalState } from '../shield.types.js';
import { ApprovalHandoverStore } from './approval-handover.store.js';

/** What became of a request: with the token of its approval where it was approved. */
export type Handover =
  { state: 'approved'; token: string } | { state: Exclude<ApprovalState, 'approved'>; reason?: string };

/**
 * Hands the one who asked the token of its own approval, where a person must not carry it: the Model Context Protocol forbids asking people for
 * credentials in forms. The decision remains that of another owner, and the token is bound and works once as ever.
 */
@Injectable()
export class ApprovalHandoverService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly approvals: ApprovalHandoverStore,
  ) {}

  /** @returns undefined when the caller has not asked for such an approval */
  take(
    { tenantId, principal }: Pick<TenantCaller, 'tenantId' | 'principal'>,
    approvalRequestId: string,
  ): Promise<Handover | undefined> {
    return this.tenancy.run(tenantId, async () => {
      const token = newApprovalToken();
      const row = await this.approvals.handOver(approvalRequestId, principal, sha256(Buffer.from(token)));
      if (!row) return undefined;
      if (row.is_handed_over) return { state: 'approved', token };
      // Approved in the moment between the two parts of the statement: asked again, it is handed over.
      const state = row.state === 'approved' ? 'pending' : row.state;
      return { state, ...(row.resolution_reason === null ? {} : { reason: row.resolution_reason }) };
    });
  }
}

const newApprovalToken = (): string => `svc_appr_${randomBytes(32).toString('base64url')}`;

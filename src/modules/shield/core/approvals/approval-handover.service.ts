import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { ServerSecret } from '../../../../common/sessions/server-secret.js';
import { sha256 } from '../../../../evidence/sha256.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ApprovalState } from '../shield.types.js';
import { approvalTokenOf } from './approval.rules.js';
import { ApprovalHandoverStore } from './approval-handover.store.js';

/** What became of a request: with the token of its approval where it was approved. */
export type Handover =
  { state: 'approved'; token: string } | { state: Exclude<ApprovalState, 'approved'>; reason?: string };

/**
 * Hands the one who asked the token of its own approval, where a person must not carry it: the Model Context Protocol
 * forbids asking people for credentials in forms. The decision remains that of another owner, and the token is bound
 * and works once as ever.
 */
@Injectable()
export class ApprovalHandoverService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly approvals: ApprovalHandoverStore,
    private readonly secret: ServerSecret,
  ) {}

  /** @returns undefined when the caller has not asked for such an approval */
  async take(
    { tenantId, principal }: Pick<TenantCaller, 'tenantId' | 'principal'>,
    approvalRequestId: string,
  ): Promise<Handover | undefined> {
    const token = await this.tokenOf(tenantId, approvalRequestId);
    return this.tenancy.run(tenantId, async () => {
      const row = await this.approvals.handOver(approvalRequestId, principal, sha256(token));
      if (!row) return undefined;
      if (row.is_handed_over) return { state: 'approved', token };
      // Approved in the moment between the two parts of the statement: asked again, it is handed over.
      const state = row.state === 'approved' ? 'pending' : row.state;
      return { state, ...(row.resolution_reason === null ? {} : { reason: row.resolution_reason }) };
    });
  }

  /**
   * The same each time, so that calls at once do not void each other's; it opens nothing before the approval was handed
   * over.
   */
  private async tokenOf(tenantId: string, approvalRequestId: string): Promise<string> {
    const key = await this.secret.keyFor('approval hand-over');
    const mac = createHmac('sha256', key).update(JSON.stringify([tenantId, approvalRequestId]));
    return approvalTokenOf(mac.digest());
  }
}

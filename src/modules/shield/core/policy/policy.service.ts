import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { PolicyStore } from './policy.store.js';

/** A change of what the shield decides by. */
export interface PolicyChange {
  /** Dotted: `shield.kill_switch_set`; the kind of its event and of its receipt. */
  kind: string;
  subject: string;
  reason: string;
  facts: Record<string, string | number | boolean | null | string[]>;
}

/**
 * Every change of trust and kill switches goes through here: it raises the policy version, voids what was approved
 * under the one before, and leaves an event and a receipt.
 */
@Injectable()
export class PolicyService {
  constructor(
    private readonly policies: PolicyStore,
    private readonly audit: AuditTrail,
  ) {}

  /** Call it last in the unit of work of the change. @returns the new policy version */
  async change(caller: TenantCaller, { kind, subject, reason, facts }: PolicyChange): Promise<number> {
    const policyVersion = await this.policies.raise(caller.principal);
    await this.policies.voidApprovals(policyVersion, `The policy changed (${kind} ${subject}): ${reason}`);
    // The facts of the change are spelt in receipts as they are in events.
    const both = { event: facts, receipt: facts };
    await this.audit.record(caller, { kind, subject, facts: { reason, policyVersion }, ...both });
    return policyVersion;
  }
}

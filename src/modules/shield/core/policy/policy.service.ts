import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { SpendWindow } from '../shield.types.js';
import type { PolicyRequest, ShieldPolicy } from './policy.dto.js';
import { PolicyStore } from './policy.store.js';
import { toPolicy } from './policy.views.js';

/** A change of what the shield decides by. */
export interface PolicyChange {
  /** Dotted: `shield.kill_switch_set`; the kind of its event and of its receipt. */
  kind: string;
  subject: string;
  reason: string;
  facts: Record<string, string | number | boolean | null | string[] | SpendWindow>;
}

/**
 * Every change of policy, trust and kill switches goes through here: it raises the policy version, voids what was
 * approved under the one before, and leaves an event and a receipt.
 */
@Injectable()
export class PolicyService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly policies: PolicyStore,
    private readonly audit: AuditTrail,
  ) {}

  read(caller: TenantCaller): Promise<ShieldPolicy> {
    return this.tenancy.run(caller.tenantId, async () => {
      const row = await this.policies.find();
      return { ...toPolicy(row), policyVersion: row?.version ?? 1 };
    });
  }

  /** @throws ValidationFailed when nothing is named */
  async set(caller: TenantCaller, { reason, spendWindow, ...flags }: PolicyRequest): Promise<ShieldPolicy> {
    const { credits = null, seconds = null } = spendWindow ?? {};
    const given = {
      ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
      ...(spendWindow === undefined ? {} : { spendWindowCredits: credits, spendWindowSeconds: seconds }),
    };
    if (Object.keys(given).length === 0) throw invalid('body', NOTHING_NAMED);
    const policy = toPolicy(await this.policies.set(given, caller.principal));
    const kind = 'shield.policy_changed';
    return {
      ...policy,
      policyVersion: await this.change(caller, { kind, subject: 'policy', reason, facts: { ...policy } }),
    };
  }

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

const NOTHING_NAMED =
  'must name what is to change: requireServerId, requireToolDigest, requireRegistered, requireUiIntegrity or spendWindow';

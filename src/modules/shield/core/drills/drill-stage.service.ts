import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { ShieldApprovalRequired, ShieldDenied } from '../../../../common/problem/common-problems.js';
import { argumentsDigest } from '../../../../common/call-policy/call-arguments.js';
import { sha256 } from '../../../../evidence/sha256.js';
import type { ShieldCall } from '../../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { ApprovalRequestsStore } from '../approvals/approval-requests.store.js';
import { ApprovalsStore } from '../approvals/approvals.store.js';
import { DecisionsService } from '../decisions/decisions.service.js';
import { KillSwitchesStore } from '../kill-switches/kill-switches.store.js';
import { PipelineService } from '../pipeline.service.js';
import { PolicyStore } from '../policy/policy.store.js';
import type { SwitchMode, TrustStatus } from '../shield.types.js';
import { TrustStore } from '../trust/trust.store.js';
import { DRILL_AUTH_TYPE, type DrillJob } from './drills.types.js';
import { approvalTokenOf } from '../approvals/approval.rules.js';

/** The call a drill makes: an action and a principal that exist in this drill alone. */
export function drillCall({ tenantId, drillId }: DrillJob, members: Partial<ShieldCall> = {}): ShieldCall {
  const caller = { tenantId, principal: `drill:${drillId}`, authType: DRILL_AUTH_TYPE };
  return { caller, action: actionOf(drillId), isRead: false, arguments: { drillId }, ...members };
}
const actionOf = (drillId: string) => `DRILL ${drillId}`;

/** What drills do, each in a separate unit of work and by the services that decide on every call. */
@Injectable()
export class DrillStageService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly decisions: DecisionsService,
    private readonly pipeline: PipelineService,
    private readonly switches: KillSwitchesStore,
    private readonly trust: TrustStore,
    private readonly requests: ApprovalRequestsStore,
    private readonly approvals: ApprovalsStore,
    private readonly policies: PolicyStore,
  ) {}

  /** A decision on a mutation, in words. */
  decide(call: ShieldCall): Promise<string> {
    return inWords(() => this.tenancy.run(call.caller.tenantId, () => this.decisions.decide(call)));
  }

  /** A decision on a read, as every process makes it from what it knows. */
  read(call: ShieldCall): Promise<string> {
    return inWords(async () => this.pipeline.admitRead({ ...call, isRead: true }));
  }

  setSwitch({ tenantId, drillId }: DrillJob, mode: SwitchMode): Promise<string> {
    const killSwitchId = uuid();
    const given = { killSwitchId, scope: 'action', target: actionOf(drillId), mode, includeReads: true } as const;
    return this.tenancy.run(tenantId, async () => {
      await this.switches.set({
        ...given,
        reason: 'An incident drill',
        createdBy: `drill:${drillId}`,
        expiresAt: null,
        drillId,
      });
      return killSwitchId;
    });
  }

  async liftSwitch({ tenantId, drillId }: DrillJob, killSwitchId: string): Promise<void> {
    await this.tenancy.run(tenantId, () => this.switches.lift(killSwitchId, `drill:${drillId}`, 'The drill goes on'));
  }

  async putDigest({ tenantId, drillId }: DrillJob, digest: string, status: TrustStatus): Promise<void> {
    const given = { status, reason: 'An incident drill', changedBy: `drill:${drillId}` };
    await this.tenancy.run(tenantId, () => this.trust.putDigest(digest, given, drillId));
  }

  /** An approval of the drill's call, asked for by one principal of the drill and given by another. */
  approve(job: DrillJob): Promise<{ approvalRequestId: string; approvalToken: string }> {
    const approvalToken = approvalTokenOf(randomBytes(32));
    const call = drillCall(job);
    return this.tenancy.run(job.tenantId, async () => {
      const approvalRequestId = await this.requests.findOrMake({
        approvalRequestId: uuid(),
        call: { ...call, argumentsDigest: argumentsDigest(call.arguments) },
        policyVersion: await this.policies.readVersion(),
        reason: 'An incident drill',
        drillId: job.drillId,
      });
      const isApproved = await this.approvals.resolve({
        approvalRequestId,
        state: 'approved',
        resolvedBy: `drill:${job.drillId}:approver`,
        reason: 'An incident drill',
        tokenHash: sha256(approvalToken),
        uiSessionId: null,
      });
      if (!isApproved) throw new Error('the approval of the drill could not be given');
      return { approvalRequestId, approvalToken };
    });
  }
}

async function inWords(decide: () => Promise<unknown>): Promise<string> {
  try {
    await decide();
    return 'allow';
  } catch (error) {
    if (error instanceof ShieldApprovalRequired) return 'approval_required';
    if (!(error instanceof ShieldDenied)) throw error;
    const { type, cause } = error.facts.denial as { type: string; cause?: string };
    return cause === undefined ? `deny ${type}` : `deny ${type} ${cause}`;
  }
}

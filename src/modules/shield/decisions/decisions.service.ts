import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { ShieldApprovalRequired, ShieldDenied } from '../../../common/problem/house-problems.js';
import type { ShieldCall } from '../../../common/shield/shield-pipeline.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { argumentsDigest } from '../approvals/approval.rules.js';
import { ApprovalRequestsStore } from '../approvals/approval-requests.store.js';
import { sampledBy } from '../sampling/sampling.rules.js';
import type { DigestedCall, ShieldFacts, Verdict } from '../shield.types.js';
import { decideCall, decideSpending } from './decision.rules.js';
import { DecisionsStore } from './decisions.store.js';

/** A call that was let through, with what that rested on. */
export interface Admission {
  decisionId: string;
  call: DigestedCall;
  facts: ShieldFacts;
  verdict: Verdict;
  /** All that it spent so far. */
  spentCredits: number;
}

type Refusal = Exclude<Verdict, { outcome: 'allow' }>;

/** Decides on calls inside the open unit of work. What is allowed is recorded there; what is refused after it was rolled back, in one of its own. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly decisions: DecisionsStore,
    private readonly requests: ApprovalRequestsStore,
  ) {}

  /** @throws ShieldDenied, ShieldApprovalRequired */
  decide(call: ShieldCall): Promise<Admission> {
    return this.decideOn({ ...call, argumentsDigest: argumentsDigest(call.arguments) });
  }

  /** Two round trips: what the decision rests on, then the decision with its event and the use of the approval. */
  private async decideOn(call: DigestedCall, tries = 3): Promise<Admission> {
    if (tries === 0) throw new Error('an approval can be read but not used');
    const facts = await this.decisions.readFacts(call);
    const verdict = decideCall(call, facts);
    const admission = { decisionId: uuid(), call, facts, verdict, spentCredits: 0 };
    if (verdict.outcome !== 'allow') throw this.refuse(admission, verdict);
    const usesApproval = verdict.rule === 'approved';
    const approvalRequestId = usesApproval ? facts.approval?.approvalRequestId : undefined;
    const isRecorded = await this.decisions.record(this.decisionOf(admission, approvalRequestId), { usesApproval });
    // Somebody used or ended the approval since it was read, and no approval comes back: the facts are others now.
    return isRecorded ? admission : this.decideOn(call, tries - 1);
  }

  /** @throws ShieldDenied, ShieldApprovalRequired: the admission is then rolled back and the refusal stands in its place */
  decideOnSpending(admission: Admission, credits: number): void {
    admission.spentCredits += credits;
    const verdict = decideSpending(admission.call, admission, admission.spentCredits);
    if (verdict && verdict.outcome !== 'allow') throw this.refuse({ ...admission, decisionId: uuid() }, verdict);
  }

  /** The refusal to throw. It is written once the unit of work is rolled back, before the caller learns of it. */
  private refuse(admission: Admission, verdict: Refusal): ShieldDenied | ShieldApprovalRequired {
    const { decisionId, call } = admission;
    const decision = { ...admission, verdict };
    if (verdict.outcome === 'deny') {
      this.keepLater(decision, async () => undefined);
      return new ShieldDenied({ denial: verdict.denial, decisionId }, verdict.denial.reason);
    }
    const facts = { approvalRequestId: uuid(), decisionId };
    this.keepLater(decision, async () => {
      // An equal request may be pending: then the caller is told of that one.
      facts.approvalRequestId = await this.requests.findOrMake({
        approvalRequestId: facts.approvalRequestId,
        call,
        policyVersion: admission.facts.policyVersion,
        decisionId,
        reason: verdict.reason,
        spendCredits: verdict.spendCredits,
      });
      return facts.approvalRequestId;
    });
    return new ShieldApprovalRequired(facts, `${verdict.reason}. ${HOW_TO_GO_ON}`);
  }

  private keepLater(admission: Admission, request: () => Promise<string | undefined>): void {
    const { tenantId } = admission.call.caller;
    this.tenancy.afterRollback(() =>
      this.tenancy.run(tenantId, async () => {
        await this.decisions.record(this.decisionOf(admission, await request()));
      }),
    );
  }

  private decisionOf({ decisionId, call, facts, verdict }: Admission, approvalRequestId: string | undefined) {
    const { outcome, rule } = verdict;
    const { action, caller } = call;
    return {
      decisionId,
      call,
      outcome,
      rule,
      denialType: verdict.outcome === 'deny' ? verdict.denial.type : undefined,
      reason:
        verdict.outcome === 'deny' ? verdict.denial.reason : verdict.outcome === 'allow' ? undefined : verdict.reason,
      policyVersion: facts.policyVersion,
      approvalRequestId,
      sampledBy: sampledBy({ decisionId, action, outcome, principal: caller.principal }, facts.sampling),
    };
  }
}

const HOW_TO_GO_ON =
  'An owner other than the one who asks resolves it with POST /v1/shield/approvals/:approvalRequestId/resolve; then send the same call again with the token in x-shield-approval-token';

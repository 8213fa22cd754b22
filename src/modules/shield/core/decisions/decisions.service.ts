import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { consoleUrlOf } from '../../../../common/config/server-urls.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { ShieldApprovalRequired, ShieldDenied } from '../../../../common/problem/common-problems.js';
import { argumentsDigest } from '../../../../common/call-policy/call-arguments.js';
import type { ShieldCall } from '../../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { APPROVAL_SECONDS } from '../approvals/approval.rules.js';
import { ApprovalRequestsStore } from '../approvals/approval-requests.store.js';
import { sampledBy } from '../sampling/sampling.rules.js';
import type { DigestedCall, ShieldFacts, Verdict } from '../shield.types.js';
import { decideCall, decideSpending } from './decision.rules.js';
import { DecisionsStore } from './decisions.store.js';
import { SpendingStore } from './spending.store.js';

/** A call that was let through, with what that rested on. */
export interface Admission {
  decisionId: string;
  call: DigestedCall;
  facts: ShieldFacts;
  verdict: Verdict;
  /** All that it spent so far. */
  spentCredits: number;
}

/** What is decided ahead of an effect that another process will have. */
export interface CallAhead {
  call: DigestedCall;
  /** What its arguments say that it spends; 0 where they do not say. */
  spendsCredits: number;
  /** Whether an approval is used up with this decision, and not with the effect. */
  usesApprovalNow: boolean;
  /** Whether it had its effect before, so that all it can do is repeat the stored answer. */
  isAnswered: () => Promise<boolean>;
}

type Refusal = Exclude<Verdict, { outcome: 'allow' }>;
const MAX_TRIES = 3;

/**
 * Decides on calls inside the open unit of work. What is allowed is recorded there; what is refused after it was rolled
 * back, in one of its own.
 */
@Injectable()
export class DecisionsService {
  private readonly console: string;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly decisions: DecisionsStore,
    private readonly requests: ApprovalRequestsStore,
    private readonly spending: SpendingStore,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.console = consoleUrlOf(settings);
  }

  /**
   * Two round trips: what the decision rests on, then the decision with its event and the use of the approval. Of a
   * call that was decided on before, in the process it came from, the decision is there already: it is decided again,
   * and its approval used up in its name.
   * @throws ShieldDenied, ShieldApprovalRequired
   */
  async decide(call: ShieldCall): Promise<Admission> {
    const digest = call.decided?.argumentsDigest ?? argumentsDigest(call.arguments);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const admission = await this.judge({ ...call, argumentsDigest: digest });
      const { verdict } = admission;
      if (verdict.outcome !== 'allow') throw this.refuse(admission, verdict);
      // Otherwise somebody used or ended the approval since it was read, and no approval comes back: the facts are
      // others now.
      if (await this.keep(admission)) return admission;
    }
    throw usedMeanwhile();
  }

  /**
   * Decides before the call goes on to the process of its effect. An approval is used up here, or there with the
   * effect.
   * @returns the decision's id; undefined where the call would be refused but only repeats its stored answer, which
   * leaves no decision
   * @throws ShieldDenied, ShieldApprovalRequired
   */
  async decideAhead({ call, spendsCredits, usesApprovalNow, isAnswered }: CallAhead): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const admission = await this.judge(call);
      const verdict = decideSpending(call, admission, { credits: spendsCredits }) ?? admission.verdict;
      if (verdict.outcome !== 'allow') {
        if (await isAnswered()) return undefined;
        throw this.refuse(admission, verdict);
      }
      const decision = this.decisionOf(admission, approvalOf(admission));
      const usesApproval = usesApprovalNow && decision.approvalRequestId !== undefined;
      if (await this.decisions.record(decision, { usesApproval })) return admission.decisionId;
    }
    throw usedMeanwhile();
  }

  /**
   * Counts what the call spends with its effect: neither remains of a call that is refused or fails.
   * @throws ShieldDenied, ShieldApprovalRequired: the admission is then rolled back and the refusal stands in its place
   */
  async decideOnSpending(admission: Admission, credits: number): Promise<void> {
    admission.spentCredits += credits;
    const { call, decisionId, facts, spentCredits } = admission;
    const { spendWindow } = facts.policy;
    const own = { principal: call.caller.principal, decisionId };
    const before = spendWindow ? await this.spending.holdAndSum(own, spendWindow.seconds) : 0;
    const verdict = decideSpending(call, admission, { credits: spentCredits, before });
    if (verdict && verdict.outcome !== 'allow') throw this.refuse(admission, verdict);
    if (spentCredits > 0) await this.spending.record(own, spentCredits);
  }

  private async judge(call: DigestedCall): Promise<Admission> {
    const read = await this.decisions.readFacts(call);
    // Approved is approved: an equal call of the one who asked needs no token.
    const facts = read.hasApproved
      ? { ...read, approval: await this.requests.findApproved(call, read.policyVersion) }
      : read;
    const decisionId = call.decided?.decisionId ?? uuid();
    return { decisionId, call, facts, verdict: decideCall(call, facts), spentCredits: 0 };
  }

  /** @returns whether the approval it rests on, if any, could be used */
  private async keep(admission: Admission): Promise<boolean> {
    const { decisionId, call } = admission;
    const approvalRequestId = approvalOf(admission);
    const usesApproval = approvalRequestId !== undefined;
    if (call.decided?.decisionId === undefined)
      return this.decisions.record(this.decisionOf(admission, approvalRequestId), { usesApproval });
    return usesApproval ? this.decisions.useApproval(decisionId, approvalRequestId) : true;
  }

  /**
   * The refusal to throw, a decision of its own. It is written once the unit of work is rolled back, before the caller
   * learns of it.
   */
  private refuse(admission: Admission, verdict: Refusal): ShieldDenied | ShieldApprovalRequired {
    const { call } = admission;
    const decisionId = uuid();
    const decision = { ...admission, decisionId, verdict };
    if (verdict.outcome === 'deny') {
      this.keepLater(decision, async () => undefined);
      return new ShieldDenied({ denial: verdict.denial, decisionId }, verdict.denial.reason);
    }
    const facts = { approvalRequestId: uuid(), decisionId };
    const refusal = new ShieldApprovalRequired(facts, verdict.reason);
    this.keepLater(decision, async () => {
      // An equal request may be pending: then that one is returned to the caller.
      facts.approvalRequestId = await this.requests.findOrMake({
        approvalRequestId: facts.approvalRequestId,
        call,
        policyVersion: admission.facts.policyVersion,
        decisionId,
        reason: verdict.reason,
        spendCredits: verdict.spendCredits,
      });
      refusal.message = `${verdict.reason}. ${howToGoOn(facts.approvalRequestId, this.console)}`;
      return facts.approvalRequestId;
    });
    return refusal;
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
    const { action, route, caller } = call;
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
      sampledBy: sampledBy({ decisionId, action, route, outcome, principal: caller.principal }, facts.sampling),
    };
  }
}

/** The request whose approval lets a call through. */
const approvalOf = ({ verdict, facts }: Admission): string | undefined =>
  verdict.outcome === 'allow' && verdict.rule === 'approved' ? facts.approval?.approvalRequestId : undefined;

const usedMeanwhile = () => new Error('an approval can be read but not used');

const howToGoOn = (approvalRequestId: string, console: string): string =>
  `Another owner decides on ${approvalRequestId} in the review inbox of the console, ${console}/#/review, or with POST /v1/shield/approvals/${approvalRequestId}/resolve. ` +
  `Once it is approved, send the same call again within ${APPROVAL_SECONDS / 60} minutes of this one: it goes through, once`;

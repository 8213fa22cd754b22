import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { DeclarationUnknown, TransitionNotAllowed } from './feedback.problems.js';
import { lastAnswer } from './operator-answer.views.js';
import { RequestsStore } from './requests.store.js';
import type { RevenueDeclarationRow } from './revenue-declaration.entity.js';
import type {
  DeclarationRecord,
  DeclarationReviewSent,
  DeclarationSent,
  RevenueQuery,
  RevenueSummary,
} from './revenue.dto.js';
import { verdictsFrom } from './revenue.rules.js';
import { RevenueStore } from './revenue.store.js';
import type { DeclarationState, DeclarationVerdict } from './revenue.types.js';

const WAITING_SHOWN = 50;

/** What the operator of the server says to a declaration, and decides of it, if anything. */
export interface DeclarationAnswer {
  declarationId: string;
  text: string;
  decision?: DeclarationVerdict | undefined;
}

/** What a tenant says it would pay, and for what. */
@Injectable()
export class RevenueService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: RevenueStore,
    private readonly requests: RequestsStore,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ValidationFailed where the request is none of the tenant's */
  declare(caller: TenantCaller, sent: DeclarationSent): Promise<DeclarationRecord> {
    return this.tenancy.run(caller.tenantId, async () => {
      if (sent.requestId !== undefined && !(await this.requests.hold(sent.requestId)))
        throw invalid('body.requestId', 'is no feedback request of this tenant');
      const { tenantId: _, ...declaration } = sent;
      const declarationId = await this.store.declare(declaration, caller.principal);
      const { subject, amountMinor, currency, period } = sent;
      const data = { subject, amountMinor, currency, period, actor: caller.principal };
      this.outbox.emit({ kind: 'feedback.revenue_declared', subject: declarationId, data });
      return this.read(declarationId);
    });
  }

  summarize(caller: TenantCaller, { limit, cursor, ...filter }: RevenueQuery): Promise<RevenueSummary> {
    const after = decodeCursor(cursor, ['text', 'text', 'text', 'text']);
    return this.tenancy.run(caller.tenantId, async () => {
      const totals = await this.store.sumUp(filter);
      const rows = await this.store.sumUpSubjects(filter, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.subject, row.currency, row.period, row.status]);
      return {
        count: totals.reduce((sum, { count }) => sum + count, 0),
        totals,
        subjects: page,
        awaiting_review: (await this.store.listWaiting(WAITING_SHOWN)).map(recordOf),
        next_cursor,
      };
    });
  }

  /** @throws DeclarationUnknown, TransitionNotAllowed naming what may be decided */
  review(
    caller: TenantCaller,
    declarationId: string,
    { decision, reason }: DeclarationReviewSent,
  ): Promise<DeclarationRecord> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.decide(caller.principal, await this.hold(declarationId), { declarationId, decision, text: reason });
      return this.read(declarationId);
    });
  }

  /**
   * Answers for the operator of the server; a decision follows the rules of the tenant's own review.
   * @throws DeclarationUnknown, TransitionNotAllowed naming what may be decided
   */
  answer(tenantId: string, by: Actor, answer: DeclarationAnswer): Promise<DeclarationRecord> {
    const { declarationId, text, decision } = answer;
    return this.tenancy.run(tenantId, async () => {
      const from = await this.hold(declarationId);
      const to = decision ?? from;
      const { principal } = by;
      if (decision) await this.decide(principal, from, { declarationId, decision, text });
      else await this.store.change(declarationId, { fromState: from, toState: to, principal, reason: text });
      const facts = { from, to, text };
      await this.audit.record(by, { kind: 'feedback.declaration_answered', subject: declarationId, facts });
      return this.read(declarationId);
    });
  }

  private async decide(
    principal: string,
    from: DeclarationState,
    { declarationId, decision, text }: Required<DeclarationAnswer> & { decision: DeclarationVerdict },
  ): Promise<void> {
    if (!verdictsFrom(from).includes(decision)) throw notFrom(from, decision);
    await this.store.change(declarationId, { fromState: from, toState: decision, principal, reason: text });
    const data = { from, to: decision, reason: text, actor: principal };
    this.outbox.emit({ kind: 'feedback.declaration_reviewed', subject: declarationId, data });
  }

  private async hold(declarationId: string): Promise<DeclarationState> {
    const state = await this.store.hold(declarationId);
    if (!state) throw new DeclarationUnknown({ declarationId }, 'Use a declarationId of this tenant');
    return state;
  }

  private async read(declarationId: string): Promise<DeclarationRecord> {
    return recordOf(await this.store.read(declarationId));
  }
}

function notFrom(status: DeclarationState, wanted: string): TransitionNotAllowed {
  const allowed = [...verdictsFrom(status)];
  const remedy = allowed.length === 0 ? 'the decision stands' : `from there: ${allowed.join(', ')}`;
  return new TransitionNotAllowed(
    { current: status, allowed },
    `The declaration is ${status} and cannot become ${wanted}; ${remedy}`,
  );
}

const recordOf = (declaration: RevenueDeclarationRow): DeclarationRecord => ({
  declarationId: declaration.declarationId,
  agentId: declaration.agentId,
  subject: declaration.subject,
  requestId: declaration.requestId,
  amountMinor: declaration.amountMinor,
  currency: declaration.currency,
  period: declaration.period,
  note: declaration.note,
  status: declaration.state,
  declaredBy: declaration.declaredBy,
  declaredAt: declaration.declaredAt.toISOString(),
  updatedAt: declaration.updatedAt.toISOString(),
  operatorAnswer: lastAnswer(declaration.history),
  history: declaration.history.map((change) => ({ ...change, at: new Date(change.at).toISOString() })),
});

import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { FeedbackRequestRow } from './feedback-request.entity.js';
import { FeedbackRequestUnknown, TransitionNotAllowed } from './feedback.problems.js';
import { lastAnswer } from './operator-answer.views.js';
import type {
  FeedbackRequestList,
  FeedbackRequestQuery,
  FeedbackRequestRecord,
  FeedbackRequestSent,
  VoteRecord,
} from './requests.dto.js';
import { actionsFrom, containing, isVotable, targetOf } from './requests.rules.js';
import { RequestsStore } from './requests.store.js';
import type { RequestAction, RequestStatus } from './requests.types.js';

/** What is to be done with a request, and why. */
export interface RequestOrderOf {
  requestId: string;
  action: RequestAction;
  reason?: string;
  note?: string;
}

/** What the operator of the server says to a request, and what is done with it, if anything. */
export interface RequestAnswer {
  requestId: string;
  text: string;
  action?: RequestAction | undefined;
}

const ANSWER = { action: 'answer' } as const;

/** Feature requests of a tenant: their list, their votes and their way from open to shipped. */
@Injectable()
export class RequestsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: RequestsStore,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  submit(caller: TenantCaller, sent: FeedbackRequestSent): Promise<FeedbackRequestRecord> {
    return this.tenancy.run(caller.tenantId, async () => {
      const { title, body, category, agentId } = sent;
      const requestId = await this.store.submit({ title, body, category, agentId }, caller.principal);
      const data = { title, category, agentId: agentId ?? null, actor: caller.principal };
      this.outbox.emit({ kind: 'feedback.request_submitted', subject: requestId, data });
      return this.read(caller.principal, requestId);
    });
  }

  list(caller: TenantCaller, query: FeedbackRequestQuery): Promise<FeedbackRequestList> {
    const { limit, cursor, status, category, agentId, mine, q, order } = query;
    const filter = {
      status,
      category,
      agentId,
      submittedBy: mine ? caller.principal : undefined,
      pattern: q === undefined ? undefined : containing(q),
    };
    const page = { byVotes: order === 'votes', after: decodeCursor(cursor, ['integer', 'uuid']), limit: limit + 1 };
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list(caller.principal, filter, page);
      const { page: shown, next_cursor } = takePage(rows, limit, (row) => [row.votes, row.requestId]);
      return { requests: shown.map(recordOf), next_cursor };
    });
  }

  /** @throws FeedbackRequestUnknown, TransitionNotAllowed naming what may be done */
  move(caller: TenantCaller, order: RequestOrderOf): Promise<FeedbackRequestRecord> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.apply(caller.principal, await this.hold(order.requestId), order);
      return this.read(caller.principal, order.requestId);
    });
  }

  /**
   * Answers for the operator of the server; what is done with the request follows the rules of its tenant.
   * @throws FeedbackRequestUnknown, TransitionNotAllowed naming what may be done
   */
  answer(tenantId: string, by: Actor, { requestId, text, action }: RequestAnswer): Promise<FeedbackRequestRecord> {
    return this.tenancy.run(tenantId, async () => {
      const from = await this.hold(requestId);
      const to = action ? targetOf(action) : from;
      const { principal } = by;
      if (action) await this.apply(principal, from, { requestId, action, reason: text });
      else await this.store.change(requestId, { ...ANSWER, fromStatus: from, toStatus: to, principal, reason: text });
      const facts = { action: action ?? null, from, to, text };
      await this.audit.record(by, { kind: 'feedback.request_answered', subject: requestId, facts });
      return this.read(principal, requestId);
    });
  }

  /** @throws FeedbackRequestUnknown; TransitionNotAllowed where it is shipped or archived */
  vote(caller: TenantCaller, requestId: string, withdraw: boolean): Promise<VoteRecord> {
    return this.tenancy.run(caller.tenantId, async () => {
      const status = await this.hold(requestId);
      if (!isVotable(status)) throw notFrom(status, withdraw ? 'withdraw a vote' : 'vote');
      const { changed, votes } = await this.store.vote(requestId, caller.principal, withdraw);
      const data = { votes, withdrawn: withdraw, actor: caller.principal };
      if (changed) this.outbox.emit({ kind: 'feedback.request_voted', subject: requestId, data });
      return { requestId, votes, voted: !withdraw, changed };
    });
  }

  private async apply(
    principal: string,
    from: RequestStatus,
    { requestId, action, reason, note }: RequestOrderOf,
  ): Promise<void> {
    if (!actionsFrom(from).includes(action)) throw notFrom(from, action);
    const to = targetOf(action);
    await this.store.change(requestId, { action, fromStatus: from, toStatus: to, principal, reason, note });
    const data = { action, from, to, reason: reason ?? null, actor: principal };
    const kind = action === 'reopen' ? 'feedback.request_reopened' : `feedback.request_${to}`;
    this.outbox.emit({ kind, subject: requestId, data });
  }

  private async hold(requestId: string): Promise<RequestStatus> {
    const status = await this.store.hold(requestId);
    if (!status) throw new FeedbackRequestUnknown({ requestId }, 'Use a requestId of GET /v1/feedback/requests');
    return status;
  }

  private async read(principal: string, requestId: string): Promise<FeedbackRequestRecord> {
    return recordOf(await this.store.read(principal, requestId));
  }
}

function notFrom(status: RequestStatus, wanted: string): TransitionNotAllowed {
  const allowed = [...actionsFrom(status), ...(isVotable(status) ? ['vote'] : [])];
  const remedy = allowed.length === 0 ? 'nothing more can be done with it' : `from there: ${allowed.join(', ')}`;
  return new TransitionNotAllowed(
    { current: status, allowed },
    `The request is ${status}, which does not let you ${wanted}; ${remedy}`,
  );
}

const recordOf = (request: FeedbackRequestRow): FeedbackRequestRecord => ({
  requestId: request.requestId,
  title: request.title,
  body: request.body,
  category: request.category,
  agentId: request.agentId,
  status: request.status,
  votes: request.votes,
  voted: request.voted,
  submittedBy: request.submittedBy,
  submittedAt: request.submittedAt.toISOString(),
  updatedAt: request.updatedAt.toISOString(),
  operatorAnswer: lastAnswer(request.history),
  history: request.history.map((change) => ({ ...change, at: new Date(change.at).toISOString() })),
});

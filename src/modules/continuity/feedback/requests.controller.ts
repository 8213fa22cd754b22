import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats, type RouteDeclaration } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { FeedbackRequestUnknown, TransitionNotAllowed } from './feedback.problems.js';
import {
  FeedbackRequestList,
  FeedbackRequestQuery,
  FeedbackRequestRecord,
  FeedbackRequestSent,
  RequestActionSent,
  RequestPath,
  RequestReviewSent,
  VoteRecord,
  VoteSent,
} from './requests.dto.js';
import { RequestsService } from './requests.service.js';

const SHARED = { tag: 'feedback', access: seats('owner', 'admin', 'member') } satisfies Partial<
  RouteDeclaration<unknown>
>;
const PROBLEMS = [FeedbackRequestUnknown, TransitionNotAllowed];
const OTHERWISE = 'From any other status it is refused with 409 TransitionNotAllowed, which names what is allowed.';

@Controller()
export class RequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Route('POST /v1/feedback/requests', {
    ...SHARED,
    summary: 'Submit a feature request',
    description:
      'It is open at first, without votes. Requests belong to the tenant: every seat of it sees them, and who runs the server, who may answer; no other tenant does.',
    reply: created(FeedbackRequestRecord),
  })
  submitRequest(@Caller() caller: TenantCaller, @Body() sent: FeedbackRequestSent): Promise<FeedbackRequestRecord> {
    return this.requests.submit(caller, sent);
  }

  @Route('GET /v1/feedback/requests', {
    ...SHARED,
    summary: 'List feature requests',
    reply: ok(FeedbackRequestList),
  })
  listRequests(@Caller() caller: TenantCaller, @Query() query: FeedbackRequestQuery): Promise<FeedbackRequestList> {
    return this.requests.list(caller, query);
  }

  @Route('POST /v1/feedback/requests/:id/vote', {
    ...SHARED,
    summary: 'Vote for a feature request',
    description:
      'A principal has one vote. A second one changes nothing and says so: changed is false. With withdraw the vote is taken back. Only open and acknowledged requests take votes.',
    reply: ok(VoteRecord),
    problems: PROBLEMS,
    tried: { after: ['acknowledgeRequest'] },
  })
  voteForRequest(
    @Caller() caller: TenantCaller,
    @Param() { id }: RequestPath,
    @Body() { withdraw }: VoteSent,
  ): Promise<VoteRecord> {
    return this.requests.vote(caller, id, withdraw);
  }

  @Route('POST /v1/feedback/requests/:id/acknowledge', {
    ...SHARED,
    summary: 'Acknowledge a feature request',
    description: `From open to acknowledged. ${OTHERWISE}`,
    reply: ok(FeedbackRequestRecord),
    problems: PROBLEMS,
    tried: { after: ['reviewRequest'] },
  })
  acknowledgeRequest(
    @Caller() caller: TenantCaller,
    @Param() { id }: RequestPath,
    @Body() { reason }: RequestActionSent,
  ): Promise<FeedbackRequestRecord> {
    return this.requests.move(caller, { requestId: id, action: 'acknowledge', reason });
  }

  @Route('POST /v1/feedback/requests/:id/archive', {
    ...SHARED,
    summary: 'Archive a feature request',
    description: `From open or acknowledged to archived; a review can reopen it. ${OTHERWISE}`,
    reply: ok(FeedbackRequestRecord),
    problems: PROBLEMS,
  })
  archiveRequest(
    @Caller() caller: TenantCaller,
    @Param() { id }: RequestPath,
    @Body() { reason }: RequestActionSent,
  ): Promise<FeedbackRequestRecord> {
    return this.requests.move(caller, { requestId: id, action: 'archive', reason });
  }

  @Route('POST /v1/feedback/requests/:id/ship', {
    ...SHARED,
    summary: 'Mark a feature request as shipped',
    description: `From acknowledged to shipped, which is the end of it. ${OTHERWISE}`,
    reply: ok(FeedbackRequestRecord),
    problems: PROBLEMS,
    tried: { after: ['voteForRequest'] },
  })
  shipRequest(
    @Caller() caller: TenantCaller,
    @Param() { id }: RequestPath,
    @Body() { reason }: RequestActionSent,
  ): Promise<FeedbackRequestRecord> {
    return this.requests.move(caller, { requestId: id, action: 'ship', reason });
  }

  @Route('POST /v1/feedback/review/requests/:id', {
    ...SHARED,
    summary: 'Review a feature request',
    description: `With a reason. accept acknowledges it, decline archives it, reopen opens an archived one again. ${OTHERWISE}`,
    reply: ok(FeedbackRequestRecord),
    problems: PROBLEMS,
    tried: { body: { decision: 'reopen' }, from: { id: 'submitRequest#/requestId' }, after: ['archiveRequest'] },
  })
  reviewRequest(
    @Caller() caller: TenantCaller,
    @Param() { id }: RequestPath,
    @Body() { decision, reason, note }: RequestReviewSent,
  ): Promise<FeedbackRequestRecord> {
    return this.requests.move(caller, { requestId: id, action: decision, reason, note });
  }
}

import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats, type RouteDeclaration } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { DeclarationUnknown, TransitionNotAllowed } from './feedback.problems.js';
import {
  DeclarationPath,
  DeclarationRecord,
  DeclarationReviewSent,
  DeclarationSent,
  RevenueQuery,
  RevenueSummary,
} from './revenue.dto.js';
import { RevenueService } from './revenue.service.js';

const SHARED = { tag: 'feedback', access: seats('owner', 'admin', 'member') } satisfies Partial<
  RouteDeclaration<unknown>
>;

@Controller()
export class RevenueController {
  constructor(private readonly revenue: RevenueService) {}

  @Route('POST /v1/feedback/revenue/declarations', {
    ...SHARED,
    summary: 'Declare a willingness to pay',
    description:
      'What something would be worth to the tenant, in whole minor units; it binds nobody. Who runs the server sees it and may answer; no other tenant does. It is pending until it is reviewed. Each declaration counts by itself: to replace one, make a new declaration and have the old one rejected.',
    reply: created(DeclarationRecord),
  })
  declareRevenue(@Caller() caller: TenantCaller, @Body() sent: DeclarationSent): Promise<DeclarationRecord> {
    return this.revenue.declare(caller, sent);
  }

  @Route('GET /v1/feedback/revenue/summary', {
    ...SHARED,
    summary: 'Summarize declarations',
    description:
      'Counts, sums and medians by currency, period and status, over all subjects and by subject. Amounts are whole minor units; currencies and periods are never converted into each other.',
    reply: ok(RevenueSummary),
  })
  readRevenueSummary(@Caller() caller: TenantCaller, @Query() query: RevenueQuery): Promise<RevenueSummary> {
    return this.revenue.summarize(caller, query);
  }

  @Route('POST /v1/feedback/review/declarations/:id', {
    ...SHARED,
    summary: 'Review a declaration',
    description:
      'With a reason. accepted and rejected are the end of it; needs_info keeps it open. Any other way is refused with 409 TransitionNotAllowed, which names what is allowed.',
    reply: ok(DeclarationRecord),
    problems: [DeclarationUnknown, TransitionNotAllowed],
    tried: { from: { id: 'declareRevenue#/declarationId' } },
  })
  reviewDeclaration(
    @Caller() caller: TenantCaller,
    @Param() { id }: DeclarationPath,
    @Body() sent: DeclarationReviewSent,
  ): Promise<DeclarationRecord> {
    return this.revenue.review(caller, id, sent);
  }
}

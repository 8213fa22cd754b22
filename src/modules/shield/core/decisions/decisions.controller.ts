import { Controller, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { DecisionList, DecisionListQuery, ShieldCapabilities } from './decisions.dto.js';
import { OverviewService } from './overview.service.js';

@Controller()
export class DecisionsController {
  constructor(private readonly overview: OverviewService) {}

  @Route('GET /v1/shield/capabilities', {
    tag: 'shield',
    summary: 'Get the shield capabilities',
    description: 'What the shield does for this tenant now.',
    access: seats('owner'),
    reply: ok(ShieldCapabilities),
  })
  readShieldCapabilities(@Caller() caller: TenantCaller): Promise<ShieldCapabilities> {
    return this.overview.capabilities(caller);
  }

  @Route('GET /v1/shield/decisions', {
    tag: 'shield',
    summary: 'List shield decisions',
    description:
      'One for every mutation that had its effect, one for every call that was refused, one for every read that was asked about, and one for every call of a tool, by the name of the tool. Those kept for review: sampled=true.',
    access: seats('owner'),
    reply: ok(DecisionList),
  })
  listDecisions(@Caller() caller: TenantCaller, @Query() query: DecisionListQuery): Promise<DecisionList> {
    return this.overview.list(caller, query);
  }
}

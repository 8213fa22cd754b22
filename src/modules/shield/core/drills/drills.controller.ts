import { Body, Controller, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { accepted, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { Drill, DrillList, DrillListQuery, DrillRequest } from './drills.dto.js';
import { DrillsService } from './drills.service.js';

@Controller()
export class DrillsController {
  constructor(private readonly drills: DrillsService) {}

  @Route('GET /v1/shield/incident-drills', {
    tag: 'shield',
    summary: 'List incident drills',
    description: 'With what they found.',
    access: seats('owner'),
    reply: ok(DrillList),
  })
  listDrills(@Caller() caller: TenantCaller, @Query() query: DrillListQuery): Promise<DrillList> {
    return this.drills.list(caller, query);
  }

  @Route('POST /v1/shield/incident-drills', {
    tag: 'shield',
    summary: 'Run an incident drill',
    description:
      'Accepted at once and over within seconds; GET /v1/shield/incident-drills reports the outcome. The fault is real and the code path is that of every call, but action, principal, tool definition and approvals exist in the drill alone: no call of yours is stopped, and the policy version stays.',
    access: seats('owner'),
    reply: accepted(Drill),
  })
  requestDrill(@Caller() caller: TenantCaller, @Body() request: DrillRequest): Promise<Drill> {
    return this.drills.request(caller, request);
  }
}

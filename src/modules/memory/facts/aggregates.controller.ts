import { Body, Controller } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { AggregateReply, AggregateRequest } from './aggregates.dto.js';
import { AggregatesService } from './aggregates.service.js';

@Controller()
export class AggregatesController {
  constructor(private readonly aggregates: AggregatesService) {}

  @Route('POST /v1/facts/aggregate', {
    tag: 'facts',
    summary: 'Aggregate the values of facts',
    description:
      'Of the latest fact of each entity and key that the caller may see. Values that are no decimal numbers are skipped and counted by ops that need numbers. Numbers are added exactly. The handler asks for a scope that reads and, where SVCD_ROUTE_AUTH=enforce, route-auth for one that writes: a caller needs one of each. Reserved entities only where entity names one.',
    access: anyOf('query:read', 'admin:read'),
    reply: ok(AggregateReply),
  })
  aggregateFacts(@Caller() caller: DaemonCaller, @Body() body: AggregateRequest): Promise<AggregateReply> {
    return this.aggregates.aggregate(caller, body);
  }
}

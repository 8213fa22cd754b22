import { Body, Controller, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { CostQuery, CostReport, ReportedUsage, ReportUsage } from './cost.dto.js';
import { CostService } from './cost.service.js';
import { sendReport } from './cost.views.js';

const tag = 'cost';
const flag = 'costLens' as const;

@Controller()
export class CostController {
  constructor(private readonly cost: CostService) {}

  @Route('POST /v1/cost/report', {
    ...{ tag, flag, summary: 'Report usage of models' },
    description:
      'Events in the form of CloudEvents 1.0. An event of the same source and id counts once, however often it is sent; one that says otherwise than what is kept is listed and changes nothing.',
    access: anyOf('admin:write', 'facts:write', 'integrations:install'),
    reply: ok(ReportedUsage),
  })
  reportUsage(@Caller() caller: DaemonCaller, @Body() body: ReportUsage): Promise<ReportedUsage> {
    return this.cost.report(caller, body);
  }

  @Route<object>('GET /v1/cost/report', {
    ...{ tag, flag, summary: 'Read what usage adds up to' },
    description:
      'Tokens and events by day, model, passport, project or surface. Money is there where the operator set a price list (SVCD_PRICES_FILE), exact and by the prices of now. With format=csv the same rows; the header link names the next page.',
    access: anyOf('admin:read', 'facts:read', 'query:read', 'sessions:read'),
    reply: ok(CostReport),
    alsoAs: ['text/csv'],
  })
  async readCost(
    @Caller() caller: DaemonCaller,
    @Query() query: CostQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return sendReport(reply, query, await this.cost.read(caller, query));
  }
}

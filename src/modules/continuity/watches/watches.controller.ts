import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { AlertList, AlertQuery } from './watch-alerts.dto.js';
import { Watch, WatchCreated, WatchList, WatchListQuery, WatchPath, WatchRequest } from './watches.dto.js';
import { WatchExists, WatchLimitReached, WatchTargetUnknown, WatchUnknown } from './watches.problems.js';
import { WatchesService } from './watches.service.js';

@Controller()
export class WatchesController {
  constructor(private readonly watches: WatchesService) {}

  @Route('POST /v1/watches', {
    tag: 'watches',
    summary: 'Create a watch',
    description:
      'Watches an answer, an artifact, a document or a query, of this tenant or shared with it. Each change raises one alert: listed under the watch, written into the journal of the agent (watch_alert), ' +
      "published as the event watch.alert, and posted to webhookUrl where one is given. What changed before is not reported. A second watch of the same by the same caller for the same agent is refused with the first one's id. " +
      'Not for tenants of the free tier.',
    access: seats('owner', 'admin', 'member'),
    flag: 'watches',
    paidTier: true,
    reply: created(WatchCreated),
    secretReply: true,
    problems: [WatchTargetUnknown, WatchExists, WatchLimitReached],
    tried: { from: { 'body/targetId': 'recordCitations#/answerId' } },
  })
  createWatch(@Caller() caller: TenantCaller, @Body() body: WatchRequest): Promise<WatchCreated> {
    return this.watches.record(caller, body);
  }

  @Route('GET /v1/watches', {
    tag: 'watches',
    summary: 'List watches',
    access: seats('owner', 'admin', 'member'),
    flag: 'watches',
    paidTier: true,
    reply: ok(WatchList),
  })
  listWatches(@Caller() caller: TenantCaller, @Query() query: WatchListQuery): Promise<WatchList> {
    return this.watches.list(caller, query);
  }

  @Route('GET /v1/watches/:id/alerts', {
    tag: 'watches',
    summary: 'List the alerts of a watch',
    description: 'Also of a watch that has ended.',
    access: seats('owner', 'admin', 'member'),
    flag: 'watches',
    paidTier: true,
    reply: ok(AlertList),
    problems: [WatchUnknown],
  })
  listAlerts(@Caller() caller: TenantCaller, @Param() path: WatchPath, @Query() query: AlertQuery): Promise<AlertList> {
    return this.watches.listAlerts(caller, path.id, query);
  }

  @Route('DELETE /v1/watches/:id', {
    tag: 'watches',
    summary: 'End a watch',
    description:
      'It raises no alert from now on, and its webhook is ended too. The alerts it has raised stay readable.',
    access: seats('owner', 'admin', 'member'),
    flag: 'watches',
    paidTier: true,
    reply: ok(Watch),
    problems: [WatchUnknown],
  })
  endWatch(@Caller() caller: TenantCaller, @Param() path: WatchPath): Promise<Watch> {
    return this.watches.withdraw(caller, path.id);
  }
}

import { Controller, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok, okStream } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { TooManyStreams } from '../../../common/problem/common-problems.js';
import { LAST_EVENT_ID } from '../live/live.views.js';
import { Activity, ActivityQuery, ActivityStreamQuery } from './activity.dto.js';
import { ActivityService } from './activity.service.js';

const tag = 'activity';
const flag = 'activityLog' as const;

@Controller()
export class ActivityController {
  constructor(private readonly activity: ActivityService) {}

  @Route('GET /v1/activity', {
    tag,
    flag,
    summary: 'List what happened in a tenant',
    description:
      'The events of the outbox, newest first, by kind, actor, entity, subject and time; as long as they are kept (SVC_EVENT_RETENTION_DAYS). Of private facts an event says that there was one.',
    access: anyOf('facts:read', 'admin:read'),
    reply: ok(Activity),
  })
  listActivity(@Caller() caller: DaemonCaller, @Query() query: ActivityQuery): Promise<Activity> {
    return this.activity.list(caller, query);
  }

  @Route('GET /v1/activity/stream', {
    tag,
    flag,
    extension: true,
    summary: 'Stream what happens in a tenant',
    description:
      'The same events as they happen, in their order, with the same filters, by the rules of GET /v1/events/stream: Last-Event-ID makes it go on after the event that was seen last.',
    access: anyOf('facts:read', 'admin:read'),
    parameters: [LAST_EVENT_ID],
    reply: okStream('text/event-stream'),
    problems: [TooManyStreams],
    streams: true,
  })
  followActivity(
    @Caller() caller: DaemonCaller,
    @Query() query: ActivityStreamQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.activity.follow(caller, query, request, reply);
  }
}

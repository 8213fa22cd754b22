import { Controller, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { TooManyStreams } from '../../../common/problem/common-problems.js';
import { LAST_EVENT_ID } from '../../operations/live/live.views.js';
import { StatusFeed, StatusFeedQuery } from './status-feed.dto.js';
import { StatusFeedService } from './status-feed.service.js';

@Controller()
export class StatusFeedController {
  constructor(private readonly feed: StatusFeedService) {}

  @Route<StatusFeed | void>('GET /v1/status-feed', {
    tag: 'coordination',
    summary: 'List what happens in coordination',
    description:
      'The events of work, gates, leases, punchcards, intents and orchestrators, newest first. While SVCD_STATUS_FEED is off the answer is 200 with `"enabled": false`. With `Accept: text/event-stream` they come as they happen, in their order, by the rules of GET /v1/events/stream: Last-Event-ID makes it go on after the event that was seen last, and `position` of an event listed here is such an id.',
    access: anyOf('admin:read'),
    flag: 'statusFeed',
    parameters: [LAST_EVENT_ID],
    reply: ok(StatusFeed),
    alsoAs: ['text/event-stream'],
    problems: [TooManyStreams],
    streams: true,
  })
  readStatusFeed(
    @Caller() caller: DaemonCaller,
    @Query() query: StatusFeedQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.feed.serve(caller, query, request, reply);
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anyOf, okStream } from '../../../common/contract/contract.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { TooManyStreams } from '../../../common/problem/common-problems.js';
import { LiveService } from './live.service.js';
import { LAST_EVENT_ID } from './live.views.js';

@Controller()
export class LiveController {
  constructor(private readonly live: LiveService) {}

  @Route('GET /v1/events/stream', {
    tag: 'events',
    summary: 'Stream tenant events as Server-Sent Events',
    description:
      'Every change of state of the tenant (X-Svc-Tenant-Id, else that of the credential), whichever process made it, in the order of GET /v1/events of the tenant API: the kind as the name of the event, and as data {"id", "type", "subject", "time", "tenant_id", "data"}. ' +
      'A client that reconnects with Last-Event-ID gets all events since, as long as they are kept (SVC_EVENT_RETENTION_DAYS); without it the stream begins now. A comment every 15 seconds keeps the connection alive; a client that reads nothing meanwhile is cut off. ' +
      '`end` with {"reason": "shutdown" | "unavailable" | "unauthorized"} is the last event: connect again, unless the credential has ended, the tenant was suspended or deleted, or the passport revoked. A process keeps 64 streams for one caller in one tenant.',
    access: anyOf('query:read', 'receipts:read', 'exports:read', 'admin:read'),
    parameters: [LAST_EVENT_ID],
    reply: okStream('text/event-stream'),
    problems: [TooManyStreams],
    streams: true,
  })
  followEvents(
    @Caller() caller: DaemonCaller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.live.serve(caller, request, reply);
  }
}

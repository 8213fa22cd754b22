import { Controller, Req, Res } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { okStream } from '../../common/contract/contract.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
import { TooManyStreams } from './live.problems.js';
import { LiveService } from './live.service.js';

@Controller()
export class LiveController {
  constructor(private readonly live: LiveService) {}

  @ApiHeader({
    name: 'last-event-id',
    required: false,
    description: 'The id of the last event that was seen; browsers send it by themselves.',
    schema: { type: 'string', pattern: '^\\d{1,19}-\\d{1,19}$' },
  })
  @DaemonRoute('GET /v1/events/stream', {
    tag: 'events',
    summary: 'What happens in the tenant, as it happens, as Server-Sent Events',
    description:
      'Every change of state of the tenant (X-Svc-Tenant-Id, else that of the credential), whichever process made it, in the order of GET /v1/events of the tenant API: the kind as the name of the event, and as data {"id", "type", "subject", "time", "tenant_id", "data"}. ' +
      'Who comes back with Last-Event-ID gets all that happened since, as long as it is kept (SVC_EVENT_RETENTION_DAYS); without it the stream begins now. A comment every 15 seconds keeps the connection alive; a client that reads nothing meanwhile is cut off. ' +
      '`end` with {"reason": "shutdown" | "unavailable"} is the last event: connect again. A process keeps 64 streams for one caller in one tenant.',
    scopes: anyOf('query:read', 'receipts:read', 'exports:read', 'admin:read'),
    reply: okStream('text/event-stream'),
    problems: [TooManyStreams],
    streams: true,
  })
  follow(@Acting() caller: DaemonCaller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.live.serve(caller, request, reply);
  }
}

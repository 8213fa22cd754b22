import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { okStream, toolCaller } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { TooManyStreams } from '../../common/problem/common-problems.js';
import { SseTransport } from './sse.transport.js';

const LAST_EVENT_ID = {
  name: 'last-event-id',
  description: 'The id of the last event that was seen; browsers send it by themselves.',
};

/** What can be called, and that the service is there, as Server-Sent Events. */
@Controller()
export class SseController {
  constructor(private readonly sse: SseTransport) {}

  @Route('GET /sse', {
    tag: 'tools',
    summary: 'Stream capabilities and heartbeats (Server-Sent Events)',
    description:
      'First the event `capabilities`, whose data is what GET /capabilities answers; then `heartbeat` every 15 seconds, with {"at": <date-time>}. Ids grow. Who comes back with Last-Event-ID gets `resumed`, with {"after": <that id>}, ' +
      'in place of `capabilities` when these have not changed, and the count goes on. `end`, with {"reason": "unauthorized" | "shutdown"}, is the last event: the credential has ended, or the process stops. ' +
      'A client that reads nothing for two heartbeats is cut off.',
    access: toolCaller(),
    parameters: [LAST_EVENT_ID],
    reply: okStream('text/event-stream'),
    problems: [TooManyStreams],
  })
  followHeartbeats(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.sse.serve(request, reply);
  }
}

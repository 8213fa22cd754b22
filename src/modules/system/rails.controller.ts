import { Body, Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ok } from '../../common/contract/contract.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { open } from '../../daemon/contract/scopes.js';
import { InvocationEnvelope, InvocationVerdict, SessionHandshake } from './rails.dto.js';
import { RailsService } from './rails.service.js';

const tag = 'legacy';

/** The two rails of older clients (memory-daemon.md 4.1, 9): served, and left out of the route manifest. */
@Controller()
export class RailsController {
  constructor(private readonly rails: RailsService) {}

  @DaemonRoute('POST /session', {
    tag,
    summary: 'The session handshake of older clients',
    description:
      'Any JSON body, or none; nothing of it is looked at and nothing is kept. The MCP port it reports, 14800, is known to be wrong and stays as it is: clients that read it are older than the listener on 14801.',
    scopes: open(),
    unlisted: true,
    reply: ok(SessionHandshake),
    bodyLimit: 64 * 1024,
  })
  async openSession(@Req() request: FastifyRequest): Promise<SessionHandshake> {
    return this.rails.greet(request.socket.localPort);
  }

  @DaemonRoute('POST /invocation/verify', {
    tag,
    summary: 'Whether a receipt that the caller holds was signed here and is in the log',
    description:
      'It tells of the bytes in the request alone: that they are signed by a published key, which was valid then, and that the transparency log has them. Nothing is read of any tenant.',
    scopes: open(),
    unlisted: true,
    reply: ok(InvocationVerdict),
    bodyLimit: 2 * 1024 * 1024,
  })
  async verifyInvocation(@Body() envelope: InvocationEnvelope): Promise<InvocationVerdict> {
    return this.rails.verify(envelope);
  }
}

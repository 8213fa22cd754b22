import { Body, Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { anyone, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { InvocationEnvelope, InvocationVerdict, SessionHandshake } from './rails.dto.js';
import { RailsService } from './rails.service.js';

const tag = 'legacy';

/** The two rails of older clients (memory-daemon.md 4.1, 9): served, and left out of the route manifest. */
@Controller()
export class RailsController {
  constructor(private readonly rails: RailsService) {}

  @Route('POST /session', {
    tag,
    summary: 'Open a session (older clients)',
    description:
      'Any JSON body, or none; nothing of it is looked at and nothing is kept. The MCP port it reports, 14800, is known to be wrong and stays as it is: clients that read it are older than the listener on 14801.',
    access: anyone(),
    unlisted: true,
    reply: ok(SessionHandshake),
  })
  async openSession(@Req() request: FastifyRequest): Promise<SessionHandshake> {
    return this.rails.greet(request.socket.localPort);
  }

  @Route('POST /invocation/verify', {
    tag,
    summary: 'Verify a receipt sent by the caller',
    description:
      'It reports on the bytes in the request alone: whether they are signed by a published key that was valid then, and whether the transparency log has them. No tenant data is read. At most 16 KiB; a larger receipt is verified in an export, by POST /v1/audit/bundle/verify.',
    access: anyone(),
    unlisted: true,
    reply: ok(InvocationVerdict),
    tried: { from: { 'body/cose': 'placeLegalHold#/receipt/cose_base64' } },
  })
  async verifyInvocation(@Body() envelope: InvocationEnvelope): Promise<InvocationVerdict> {
    return this.rails.verify(envelope);
  }
}

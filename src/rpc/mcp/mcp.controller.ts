import { Controller, Req, Res, UseFilters } from '@nestjs/common';
import { ApiBody, ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anyone, toolCaller } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../common/http/client-address.js';
import { KeepsRawBody, RawBody } from '../../common/http/raw-body.js';
import { httpPeer } from '../mouths/http-peer.js';
import { McpChallenge } from './mcp-challenge.filter.js';
import { McpEndpoint } from './mcp-endpoint.js';

/** JSON, or a stream of events where the client is told something before the end. */
const ANSWER = { status: 200, contentType: 'application/json' } as const;
const NO_STREAM = {
  tag: 'tools',
  summary: 'No stream and no session to end: 405',
  description:
    'Every request of the Model Context Protocol is a POST of its own; what older revisions opened or ended here does not exist.',
  access: anyone(),
  reply: ANSWER,
  idempotent: false,
};

/** The Model Context Protocol over Streamable HTTP. */
@Controller()
@UseFilters(McpChallenge)
export class McpController {
  constructor(
    private readonly endpoint: McpEndpoint,
    private readonly addresses: ClientAddresses,
  ) {}

  @ApiBody({ schema: { type: 'object' }, description: 'One JSON-RPC request or notification of the protocol.' })
  @ApiHeader({
    name: 'x-idempotency-key',
    required: false,
    description: 'Serves in place of the argument idempotency_key of a tool.',
  })
  @KeepsRawBody('POST /mcp')
  @Route('POST /mcp', {
    tag: 'tools',
    summary: 'The Model Context Protocol, revision 2026-07-28; clients of 2025-11-25 and before are served too',
    description:
      'The same tools as POST /rpc, for clients of the Model Context Protocol. docs/agents.md has the set-up of a client, how failures are answered, and an approval from end to end.',
    access: toolCaller({ agents: true, bearerKeys: true }),
    reply: ANSWER,
    idempotent: false,
  })
  answer(
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Response> {
    return this.endpoint.answer(request, body, httpPeer(request, reply, { mouth: 'mcp', addresses: this.addresses }));
  }

  @Route('GET /mcp', NO_STREAM)
  refuseStream(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Response> {
    return this.refuse(request, reply);
  }

  @Route('DELETE /mcp', NO_STREAM)
  refuseEnd(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Response> {
    return this.refuse(request, reply);
  }

  private refuse(request: FastifyRequest, reply: FastifyReply): Promise<Response> {
    const peer = httpPeer(request, reply, { mouth: 'mcp', addresses: this.addresses, isPublic: true });
    return this.endpoint.answer(request, Buffer.alloc(0), peer);
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anyone, toolCaller } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../common/http/client-address.js';
import { RawBody } from '../../common/http/raw-body.js';
import { httpPeer } from '../transports/http-peer.js';
import { JSON_RPC_ANSWERS, MCP_RESPONSES } from '../transports/json-rpc-responses.js';
import { McpEndpoint } from './mcp-endpoint.js';

const ANSWER = { status: 200, contentType: 'application/json', schema: JSON_RPC_ANSWERS } as const;
/** JSON, or a stream of events where there are messages before the response. */
const ANSWERS = {
  'application/json': { schema: JSON_RPC_ANSWERS },
  'text/event-stream': { schema: { type: 'string' } },
};
const IDEMPOTENCY_KEY = {
  name: 'x-idempotency-key',
  description: 'Serves in place of the argument idempotency_key of a tool.',
};
const NO_STREAM = {
  tag: 'tools',
  summary: 'Refuse streams and sessions (405)',
  description:
    'Every request of the Model Context Protocol is a POST of its own; what older revisions opened or ended here does not exist.',
  access: anyone(),
  reply: ANSWER,
  responses: MCP_RESPONSES,
};

/** The Model Context Protocol over Streamable HTTP. */
@Controller()
export class McpController {
  constructor(
    private readonly endpoint: McpEndpoint,
    private readonly addresses: ClientAddresses,
  ) {}

  @Route('POST /mcp', {
    tag: 'tools',
    summary: 'Call tools over the Model Context Protocol',
    description:
      'The same tools as POST /rpc, for clients of the Model Context Protocol: revision 2026-07-28; clients of 2025-11-25 and before are served too. docs/agents.md has the set-up of a client, how failures are answered, and an approval from end to end.',
    access: toolCaller({ agents: true, bearerKeys: true, accessTokens: true }),
    body: 'bytes',
    parameters: [IDEMPOTENCY_KEY],
    requestBody: {
      description: 'One JSON-RPC request or notification of the protocol.',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    reply: ANSWER,
    responses: {
      ...MCP_RESPONSES,
      200: { description: 'The response; as events where there are messages before it.', content: ANSWERS },
      202: { description: 'A notification was taken.' },
    },
  })
  sendMcpMessage(
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Response> {
    return this.endpoint.answer(
      request,
      body,
      httpPeer(request, reply, { transport: 'mcp', addresses: this.addresses }),
    );
  }

  @Route('GET /mcp', NO_STREAM)
  refuseMcpStream(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Response> {
    return this.refuse(request, reply);
  }

  @Route('DELETE /mcp', NO_STREAM)
  refuseMcpEnd(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Response> {
    return this.refuse(request, reply);
  }

  private refuse(request: FastifyRequest, reply: FastifyReply): Promise<Response> {
    const peer = httpPeer(request, reply, { transport: 'mcp', addresses: this.addresses, isPublic: true });
    return this.endpoint.answer(request, Buffer.alloc(0), peer);
  }
}

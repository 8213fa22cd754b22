import { Controller, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anyone, ok, okBytes, toolCaller, type RouteDeclaration } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../common/http/client-address.js';
import { RawBody } from '../../common/http/raw-body.js';
import { ProblemBody } from '../../common/problem/problem-body.js';
import { RpcServer } from '../rpc.server.js';
import { ToolCapabilitiesService } from '../tool-capabilities.service.js';
import { httpPeer } from './http-peer.js';
import { Capabilities, CapabilitiesQuery, JsonRpcRequest } from './http.dto.js';
import { JSON_RPC_ANSWERS, NOTIFICATIONS_ALONE, rateLimited } from './json-rpc-responses.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const PAYLOAD = {
  body: 'bytes',
  requestBody: {
    description: 'A request, a notification, or an array of them (at most 100).',
    content: {
      'application/json': {
        schema: JsonRpcRequest,
        examples: {
          one: {
            value: {
              jsonrpc: '2.0',
              id: 1,
              method: 'query_vault',
              params: { query: 'How many days of leave do I have?' },
            },
          },
          list: { value: { jsonrpc: '2.0', id: 2, method: 'tools/list' } },
        },
      },
    },
  },
  reply: okBytes(JSON_TYPE, JSON_RPC_ANSWERS),
  responses: {
    204: NOTIFICATIONS_ALONE,
    429: rateLimited('application/json', { oneOf: [JSON_RPC_ANSWERS, ProblemBody] }),
  },
} satisfies Partial<RouteDeclaration<unknown>>;
const HEADERS = [
  {
    name: 'x-idempotency-key',
    description: 'Serves in place of params.idempotency_key where the body holds one call.',
  },
  {
    name: 'x-shield-approval-token',
    description: 'Serves in place of params.shield_approval_token where the body holds one call.',
  },
];

/** JSON-RPC over one HTTP request and its answer, and what can be called. */
@Controller()
export class HttpController {
  constructor(
    private readonly server: RpcServer,
    private readonly known: ToolCapabilitiesService,
    private readonly addresses: ClientAddresses,
  ) {}

  @Route('POST /rpc', {
    tag: 'tools',
    summary: 'Call tools by JSON-RPC 2.0',
    description:
      'The method is the name of a tool, or tools/list, or tools/call. Status 200 with the result or the error of each call inside; 204 where there were notifications alone; ' +
      '429 with retry-after where the rate window let none of the calls pass. GET /capabilities has the parameters of every tool, docs/agents.md the error codes.',
    access: toolCaller({ agents: true }),
    ...PAYLOAD,
    parameters: HEADERS,
  })
  callTool(
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.dispatch(body, request, reply, false);
  }

  @Route('POST /rpc/public', {
    tag: 'tools',
    summary: 'Call register_agent and request_sponsor without a credential',
    description: 'As POST /rpc; every other tool answers -32000. Calls are counted by client address.',
    access: anyone(),
    ...PAYLOAD,
  })
  callPublicTool(
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.dispatch(body, request, reply, true);
  }

  @Route('GET /capabilities', {
    tag: 'tools',
    summary: 'List tools and their definitions',
    description:
      'What each tool does, its parameters, its answer, and the digest of its definition: of the tools of the tenant API and the memory daemon, unless `tool_set` names another set.',
    access: toolCaller(),
    reply: ok(Capabilities),
  })
  listTools(@Query() { tool_set }: CapabilitiesQuery): Promise<Capabilities> {
    return this.known.read(tool_set);
  }

  private async dispatch(body: Buffer, request: FastifyRequest, reply: FastifyReply, isPublic: boolean) {
    const peer = httpPeer(request, reply, { transport: 'http', addresses: this.addresses, isPublic });
    peer.responseHeaders = new Map();
    const { text, rateLimitedSec } = await this.server.dispatch(body, peer);
    void reply.headers(Object.fromEntries(peer.responseHeaders));
    if (rateLimitedSec !== undefined) void reply.status(429).header('retry-after', String(rateLimitedSec));
    else if (text === undefined) void reply.status(204);
    return text ?? '';
  }
}

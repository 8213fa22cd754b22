import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createMcpHandler, type McpHttpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { answerMcp, readMcp } from './http-exchange.js';
import { LOG, type Log } from '../../common/observability/log.js';
import type { Peer } from '../peer.js';
import { McpServers } from './mcp-servers.js';

/**
 * The Model Context Protocol over Streamable HTTP: 2026-07-28, in which every request is stateless, and the revisions
 * with a handshake, served the same way, without sessions. The request states its revision.
 */
@Injectable()
export class McpEndpoint implements OnModuleDestroy {
  private readonly handler: McpHttpHandler;
  /** Apart from all others, so that the end of subscriptions ends no call. */
  private readonly subscriptions: McpHttpHandler;

  constructor(
    servers: McpServers,
    @Inject(LOG) private readonly log: Log,
  ) {
    const make = () =>
      createMcpHandler((context) => servers.make(() => peerOf(context)), {
        legacy: 'stateless',
        onerror: (error) => this.log.info({ error }, 'mcp: a request was refused'),
      });
    this.handler = make();
    this.subscriptions = make();
  }

  /**
   * Subscriptions last as long as their clients want; a process that stops would wait for them. Calls in flight are
   * answered.
   */
  async onModuleDestroy(): Promise<void> {
    await this.subscriptions.close();
  }

  async answer(request: FastifyRequest, body: Buffer, peer: Peer): Promise<Response> {
    const read = readMcp(body);
    if (read.refusal) return read.refusal;
    const { parsed } = read;
    const responseHeaders = new Map<string, string>();
    const handler = isSubscription(parsed) ? this.subscriptions : this.handler;
    const speaker = { ...(isBatch(parsed) ? alone(peer) : peer), responseHeaders };
    const response = await answerMcp(handler, parsed, { request, signal: peer.signal, extra: { peer: speaker } });
    for (const [name, value] of responseHeaders) response.headers.set(name, value);
    return response;
  }
}

const isSubscription = (parsed: unknown): boolean =>
  (parsed as { method?: unknown } | null | undefined)?.method === 'subscriptions/listen';

const isBatch = (parsed: unknown): boolean => Array.isArray(parsed) && parsed.length > 1;
/** Key and token of the headers apply to one call: two effects must not share a key by accident. */
const alone = (peer: Peer): Peer => ({ ...peer, idempotencyKey: undefined, approvalToken: undefined });

function peerOf({ authInfo }: McpRequestContext): Peer {
  const peer = authInfo?.extra?.peer;
  if (!peer) throw new Error('an MCP request came without its speaker');
  return peer as Peer;
}

import { MAX_DIGESTED_VALUES } from '../../common/http/json-body.js';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { createMcpHandler, type McpHttpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { answerMcp, readMcp } from './http-exchange.js';
import { Listener } from '../../common/database/listener.js';
import { ToolCallers, type Credential } from '../../common/keys/tool-callers.js';
import { LOG, type Log } from '../../common/observability/log.js';
import { TENANT_CHANGED } from '../../common/tenancy/tenant-state.js';
import type { Peer } from '../peer.js';
import { BEARERS_TAKEN } from '../tool-caller.guard.js';
import { McpServers } from './mcp-servers.js';

/**
 * The Model Context Protocol over Streamable HTTP: 2026-07-28, in which every request is stateless, and the revisions
 * with a handshake, served the same way, without sessions. The request states its revision.
 */
@Injectable()
export class McpEndpoint implements OnModuleInit, OnModuleDestroy {
  private readonly handler: McpHttpHandler;
  /** Apart from all others, so that the end of subscriptions ends no call. */
  private readonly subscriptions: McpHttpHandler;
  private readonly subscribers = new Set<Subscriber>();

  constructor(
    servers: McpServers,
    private readonly callers: ToolCallers,
    private readonly listener: Listener,
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

  onModuleInit(): void {
    const endOf = (tenantId: string) => void this.endUnauthorized(tenantId);
    this.listener.on(TENANT_CHANGED, endOf);
    this.listener.onGap(() => new Set([...this.subscribers].map(({ tenantId }) => tenantId)).forEach(endOf));
  }

  /**
   * Subscriptions last as long as their clients want; a process that stops would wait for them. Calls in flight are
   * answered.
   */
  async onModuleDestroy(): Promise<void> {
    await this.subscriptions.close();
  }

  async answer(request: FastifyRequest, body: Buffer, peer: Peer): Promise<Response> {
    const read = readMcp(body, MAX_DIGESTED_VALUES);
    if (read.refusal) return read.refusal;
    const { parsed } = read;
    const responseHeaders = new Map<string, string>();
    const isLong = isSubscription(parsed);
    const handler = isLong ? this.subscriptions : this.handler;
    const signal = isLong ? this.subscribe(request, peer) : peer.signal;
    const client = { ...(isBatch(parsed) ? alone(peer) : peer), responseHeaders };
    const response = await answerMcp(handler, parsed, { request, signal, extra: { peer: client } });
    for (const [name, value] of responseHeaders) response.headers.set(name, value);
    return response;
  }

  /** @returns what ends the subscription: its client, its answer, or the end of its credential */
  private subscribe({ caller }: FastifyRequest, { signal, credential }: Peer): AbortSignal {
    const subscriber = { tenantId: caller?.tenantId ?? '', credential, ending: new AbortController() };
    const ended = AbortSignal.any([subscriber.ending.signal, ...(signal ? [signal] : [])]);
    if (ended.aborted) return ended;
    this.subscribers.add(subscriber);
    ended.addEventListener('abort', () => this.subscribers.delete(subscriber), { once: true });
    return ended;
  }

  private async endUnauthorized(tenantId: string): Promise<void> {
    for (const subscriber of [...this.subscribers].filter((one) => one.tenantId === tenantId)) {
      if (!(await this.callers.holds(subscriber.credential, BEARERS_TAKEN.mcp))) subscriber.ending.abort();
    }
  }
}

interface Subscriber {
  tenantId: string;
  credential: Credential;
  ending: AbortController;
}

const isSubscription = (parsed: unknown): boolean =>
  (parsed as { method?: unknown } | null | undefined)?.method === 'subscriptions/listen';

const isBatch = (parsed: unknown): boolean => Array.isArray(parsed) && parsed.length > 1;
/** Key and token of the headers apply to one call: two effects must not share a key by accident. */
const alone = (peer: Peer): Peer => ({ ...peer, idempotencyKey: undefined, approvalToken: undefined });

function peerOf({ authInfo }: McpRequestContext): Peer {
  const peer = authInfo?.extra?.peer;
  if (!peer) throw new Error('an MCP request came without its client');
  return peer as Peer;
}

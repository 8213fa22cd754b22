import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createMcpHandler, type McpHttpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { LOG, type Log } from '../../common/observability/log.js';
import { decodeUtf8 } from '../../common/http/utf8.js';
import { RPC_CODES } from '../json-rpc.js';
import type { Peer } from '../peer.js';
import { McpServers } from './mcp-servers.js';

/**
 * The Model Context Protocol over Streamable HTTP: 2026-07-28, in which every request stands for itself, and the revisions with a handshake
 * served the same way, without sessions. Which of them a request speaks is told by the request.
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

  /** Subscriptions last as long as their clients want; a process that stops would wait for them. Calls in flight are answered. */
  async onModuleDestroy(): Promise<void> {
    await this.subscriptions.close();
  }

  async answer(request: FastifyRequest, body: Buffer, peer: Peer): Promise<Response> {
    const parsed = body.length === 0 ? undefined : readJsonText(body);
    if (parsed === UNREADABLE) return parseError();
    const beside = new Map<string, string>();
    const handler = isSubscription(parsed) ? this.subscriptions : this.handler;
    const response = await handler.fetch(webRequest(request, peer.signal), {
      parsedBody: parsed,
      authInfo: carrying({ ...(isBatch(parsed) ? alone(peer) : peer), beside }),
    });
    for (const [name, value] of beside) response.headers.set(name, value);
    return response;
  }
}

const isSubscription = (parsed: unknown): boolean =>
  (parsed as { method?: unknown } | null | undefined)?.method === 'subscriptions/listen';

const isBatch = (parsed: unknown): boolean => Array.isArray(parsed) && parsed.length > 1;
/** What stands beside a request is for one call: two effects must not share a key by accident. */
const alone = (peer: Peer): Peer => ({ ...peer, idempotencyKey: undefined, approvalToken: undefined });

/** The SDK hands this on untouched to whatever serves the request; nothing of it but the speaker is used. */
const carrying = (peer: Peer) => ({ token: '', clientId: '', scopes: [], extra: { peer } });

function peerOf({ authInfo }: McpRequestContext): Peer {
  const peer = authInfo?.extra?.peer;
  if (!peer) throw new Error('an MCP request came without its speaker');
  return peer as Peer;
}

/** The request without its body, which has been read. */
function webRequest({ method, headers, host, url }: FastifyRequest, signal: AbortSignal | undefined): Request {
  const own = Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name));
  const sent = own.flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
  return new Request(new URL(url, `http://${host}`), { method, headers: sent, signal });
}

/** Of no use beyond the guards. */
const CREDENTIALS = new Set(['authorization', 'x-api-key', 'cookie', 'x-shield-approval-token']);

const UNREADABLE = Symbol('unreadable');

function readJsonText(body: Buffer): unknown {
  const text = decodeUtf8(body);
  try {
    return text === undefined ? UNREADABLE : (JSON.parse(text) as unknown);
  } catch {
    return UNREADABLE;
  }
}

const parseError = (): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: RPC_CODES.parseError, message: 'Parse error: this is not JSON in UTF-8' },
    },
    { status: 400 },
  );

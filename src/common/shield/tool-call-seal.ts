import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Counter } from 'prom-client';
import { canonicalJson, isRecord } from '../evidence/canonical-json.js';
import { headerOf } from '../http/headers.js';
import { Metrics } from '../observability/metrics.js';
import { ServerSecret } from '../sessions/server-secret.js';
import { DISCOVERY_TENANT } from '../tenancy/discovery-tenant.js';
import { argumentsDigest, argumentsOf, named, sha256 } from './call-arguments.js';

/** The header in which the tool service tells the API of a call that it has admitted. */
export const TOOL_CALL_HEADER = 'x-svc-tool-call';

/** How long a seal opens: longer than any request on its way takes. */
const SEALED_MS = 60_000;
/** Arguments up to this length go along, so that the approver is shown them where the API asks for an approval. */
const CARRIED_BYTES = 4_096;
const MAC_BYTES = 32;

/** A call of a tool, as the caller made it. */
export interface ToolCall {
  caller: { tenantId: string; principal: string; authType: string };
  /** Its name, and the address of the route it maps to: `tip_platform`, `POST /v1/economy/tip-platform`. */
  tool: string;
  route: string;
  serverId: string;
  /** Of the tool's definition: `sha256:<hex>`. */
  toolDigest: string;
  isRead: boolean;
  /** As given, without idempotency_key and shield_approval_token. */
  arguments: object;
}

/** The request to the API that a tool call becomes, as the API will read it: decoded, not encoded. */
export interface ToolRequest {
  params?: object;
  query?: object;
  body?: object;
}

/** What the API believes of a call, since the tool service says so under a key of this server. */
export interface SealedToolCall {
  /** Of the decision that admitted it; none where its stored answer is to be repeated. */
  decisionId?: string;
  tenantId: string;
  principal: string;
  tool: string;
  route: string;
  serverId: string;
  toolDigest: string;
  /** Of the tool's arguments in canonical form, and its length in bytes. */
  argumentsDigest: string;
  argumentsBytes: number;
  /** Those of a mutation, where they are short enough to go along. */
  arguments?: object;
  /** Of a mutation: the digest of path, query and body as the API reads them. */
  requestDigest?: string;
  /** Where the caller of the tool comes from, as limits count it. */
  clientAddress: string;
}

type Payload = SealedToolCall & { v: 1; expiresAt: number };
type Finding = 'good' | 'not_whole' | 'forged' | 'expired' | 'another_caller' | 'another_route' | 'another_request';

/** What is to be sealed for a call that was admitted. */
export function toolCallToSeal(
  call: ToolCall,
  { decisionId, request, clientAddress }: { decisionId?: string; request: ToolRequest; clientAddress: string },
): SealedToolCall {
  const text = canonicalJson(call.arguments);
  const isCarried = !call.isRead && text.length <= CARRIED_BYTES;
  return {
    ...(decisionId === undefined ? {} : { decisionId }),
    tenantId: call.caller.tenantId,
    principal: call.caller.principal,
    tool: call.tool,
    route: call.route,
    serverId: call.serverId,
    toolDigest: call.toolDigest,
    argumentsDigest: named(sha256(text)),
    argumentsBytes: text.length,
    ...(isCarried ? { arguments: call.arguments } : {}),
    ...(call.isRead ? {} : { requestDigest: requestDigestOf(request) }),
    clientAddress,
  };
}

const requestDigestOf = ({ params, query, body }: ToolRequest): string =>
  argumentsDigest(argumentsOf(params, asRead(query), body));

/** A parameter of a query that is sent once is no list to its reader, and one that is a list of none is not there. */
const asRead = (query: object = {}): object =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]: [string, unknown]) => {
      const values = [value].flat();
      return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]];
    }),
  );

/**
 * Seals what the tool service tells the API of a call: `base64url(JSON) '.' base64url(HMAC-SHA256)`, under a key that the processes of one database share, for 60 seconds.
 * Whatever is wrong with a seal, the request is treated as if there were none: whoever tries one learns nothing.
 */
@Injectable()
export class ToolCallSeal implements OnModuleInit {
  private key?: KeyObject;
  private readonly found: Counter<'finding'>;

  constructor(
    private readonly secret: ServerSecret,
    metrics: Metrics,
  ) {
    this.found = metrics.counter(
      'svc_tool_call_seals_total',
      'Seals of tool calls that were looked at, by what was found.',
      ['finding'],
    );
  }

  async onModuleInit(): Promise<void> {
    // A key object is made once: of plain bytes every use would make one.
    this.key = createSecretKey(await this.secret.sharedKeyFor('tool-calls'));
  }

  /** @returns the value of x-svc-tool-call */
  async seal(call: SealedToolCall): Promise<string> {
    const payload: Payload = { v: 1, ...call, expiresAt: Date.now() + SEALED_MS };
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${text}.${this.macOf(text).toString('base64url')}`;
  }

  /** What a seal of this server says, until it expires. */
  open(text: string): SealedToolCall | undefined {
    const payload = this.read(text);
    return typeof payload === 'string' ? undefined : payload;
  }

  /** What the seal of a request says, where it is of this caller, of this route and, where it changes something, of exactly this request. */
  of(request: FastifyRequest): SealedToolCall | undefined {
    const text = headerOf(request, TOOL_CALL_HEADER);
    if (text === undefined) return undefined;
    const payload = this.read(text);
    const finding = typeof payload === 'string' ? payload : judge(payload, request);
    this.found.inc({ finding });
    return typeof payload === 'object' && finding === 'good' ? payload : undefined;
  }

  private read(sealed: string): Payload | 'not_whole' | 'forged' | 'expired' {
    const [text, mac, ...rest] = sealed.split('.');
    if (!text || !mac || rest.length > 0) return 'not_whole';
    const given = Buffer.from(mac, 'base64url');
    if (given.length !== MAC_BYTES || !timingSafeEqual(given, this.macOf(text))) return 'forged';
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    if (!isRecord(payload) || payload.v !== 1) return 'not_whole';
    return (payload as unknown as Payload).expiresAt > Date.now() ? (payload as unknown as Payload) : 'expired';
  }

  private macOf(text: string): Buffer {
    if (!this.key) throw new Error('no seal can be made or opened before the module is initialised');
    return createHmac('sha256', this.key).update(text).digest();
  }
}

function judge(sealed: SealedToolCall, request: FastifyRequest): Finding {
  if (!isOfCaller(sealed, request)) return 'another_caller';
  if (sealed.route !== `${request.method} ${request.routeOptions.url}`) return 'another_route';
  if (sealed.requestDigest === undefined) return 'good';
  return sealed.requestDigest === requestDigestOf(request as ToolRequest) ? 'good' : 'another_request';
}

/** A public tool has no caller at the API either. */
function isOfCaller({ tenantId, principal }: SealedToolCall, { caller }: FastifyRequest): boolean {
  if (!caller) return tenantId === DISCOVERY_TENANT && principal.startsWith('public:');
  return caller.tenantId === tenantId && caller.principal === principal;
}

import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Counter } from 'prom-client';
import { canonicalJson, isRecord } from '../../evidence/canonical-json.js';
import { headerOf } from '../http/headers.js';
import { routeOf } from '../contract/contract.js';
import { Metrics } from '../observability/metrics.js';
import { ServerSecret } from '../sessions/server-secret.js';
import { DISCOVERY_TENANT } from '../tenancy/discovery-tenant.js';
import { argumentsDigest, argumentsOf } from './call-arguments.js';
import { sha256Digest } from '../../evidence/digest.js';

/** The header in which the tool service sends the API a call that it has admitted, signed. */
export const TOOL_CALL_HEADER = 'x-svc-tool-call';

/** How long a signature is valid: longer than any request takes on its way. */
const VALID_MS = 60_000;
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

/** What the API accepts about a call, since the tool service signed it with a key of this server. */
export interface SignedToolCall {
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

type Payload = SignedToolCall & { v: 1; expiresAt: number };
type Finding = 'good' | 'not_whole' | 'forged' | 'expired' | 'another_caller' | 'another_route' | 'another_request';

/** What is to be signed for a call that was admitted. */
export function toolCallToSign(
  call: ToolCall,
  { decisionId, request, clientAddress }: { decisionId?: string; request: ToolRequest; clientAddress: string },
): SignedToolCall {
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
    argumentsDigest: sha256Digest(text),
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
 * Signs what the tool service sends the API about a call: `base64url(JSON) '.' base64url(HMAC-SHA256)`, with a key that
 * the processes of one database share, valid for 60 seconds. A request with an invalid signature is treated as one
 * without: a client that tries one learns nothing.
 */
@Injectable()
export class ToolCallSigner implements OnModuleInit {
  private key?: KeyObject;
  private readonly found: Counter<'finding'>;

  constructor(
    private readonly secret: ServerSecret,
    metrics: Metrics,
  ) {
    this.found = metrics.counter(
      'svc_tool_call_seals_total',
      'Signatures of tool calls that were checked, by finding.',
      ['finding'],
    );
  }

  async onModuleInit(): Promise<void> {
    // A key object is made once: of plain bytes every use would make one.
    this.key = createSecretKey(await this.secret.sharedKeyFor('tool-calls'));
  }

  /**
   * For a request that a call sends to the API. What it reads by another route than the one that was decided on bears
   * no decision: a switch on that route stops it there.
   * @returns the value of x-svc-tool-call
   */
  signRequest(
    call: ToolCall,
    request: ToolRequest & { method: string; address: string },
    { decisionId, clientAddress }: { decisionId: string | undefined; clientAddress: string },
  ): Promise<string> {
    const isDecided = request.method !== 'GET' || request.address === call.route;
    const decided = decisionId === undefined || !isDecided ? {} : { decisionId };
    return this.sign(toolCallToSign({ ...call, route: request.address }, { ...decided, request, clientAddress }));
  }

  /** @returns the value of x-svc-tool-call */
  async sign(call: SignedToolCall): Promise<string> {
    const payload: Payload = { v: 1, ...call, expiresAt: Date.now() + VALID_MS };
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${text}.${this.macOf(text).toString('base64url')}`;
  }

  /** What this server signed, until it expires. */
  open(text: string): SignedToolCall | undefined {
    const payload = this.read(text);
    return typeof payload === 'string' ? undefined : payload;
  }

  /**
   * What was signed for a request, where it is of this caller, of this route and, if the call changes something, of
   * exactly this request.
   */
  of(request: FastifyRequest): SignedToolCall | undefined {
    const text = headerOf(request, TOOL_CALL_HEADER);
    if (text === undefined) return undefined;
    const payload = this.read(text);
    const finding = typeof payload === 'string' ? payload : judge(payload, request);
    this.found.inc({ finding });
    return typeof payload === 'object' && finding === 'good' ? payload : undefined;
  }

  private read(signed: string): Payload | 'not_whole' | 'forged' | 'expired' {
    const [text, mac, ...rest] = signed.split('.');
    if (!text || !mac || rest.length > 0) return 'not_whole';
    const given = Buffer.from(mac, 'base64url');
    if (given.length !== MAC_BYTES || !timingSafeEqual(given, this.macOf(text))) return 'forged';
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    if (!isRecord(payload) || payload.v !== 1) return 'not_whole';
    return (payload as unknown as Payload).expiresAt > Date.now() ? (payload as unknown as Payload) : 'expired';
  }

  private macOf(text: string): Buffer {
    if (!this.key) throw new Error('tool calls cannot be signed or verified before the module is initialised');
    return createHmac('sha256', this.key).update(text).digest();
  }
}

function judge(signed: SignedToolCall, request: FastifyRequest): Finding {
  if (!isOfCaller(signed, request)) return 'another_caller';
  if (signed.route !== routeOf(request)?.address) return 'another_route';
  if (signed.requestDigest === undefined) return 'good';
  return signed.requestDigest === requestDigestOf(request as ToolRequest) ? 'good' : 'another_request';
}

/** A public tool has no caller at the API either. */
function isOfCaller({ tenantId, principal }: SignedToolCall, { caller }: FastifyRequest): boolean {
  if (!caller) return tenantId === DISCOVERY_TENANT && principal.startsWith('public:');
  return caller.tenantId === tenantId && caller.principal === principal;
}

import { Inject, Injectable } from '@nestjs/common';
import { checkedSession, SESSION_HEADER } from '../common/http/agent-session.js';
import { LOG, type Log } from '../common/observability/log.js';
import { Metrics } from '../common/observability/metrics.js';
import { currentTraceparent, isInTrace, type SpanOptions, traced } from '../common/observability/tracing.js';
import { IdempotencyKeyRequired, invalid, Unauthorized } from '../common/problem/common-problems.js';
import { Problem } from '../common/problem/problem.js';
import {
  TOOL_CALL_HEADER,
  toolCallToSign,
  ToolCallSigner,
  type ToolCall,
} from '../common/call-policy/tool-call-signer.js';
import { TOOL_SERVER_ID } from '../common/call-policy/shield-pipeline.js';
import { ToolAdmissionsService } from '../modules/shield/core/tool-calls/tool-admissions.service.js';
import { ApiConnection, type ApiAnswer } from './api-connection.js';
import { CallStatesService } from './call-states.service.js';
import { RPC_CODES, RpcFailure } from './json-rpc.js';
import { JsonText } from './json-text.js';
import { ToolCallSteps } from './tool-call-steps.js';
import type { Peer, ToolCaller } from './peer.js';
import { derivedKey, readArguments, requestOf, type ApiRequest, type ToolArguments } from './tools/tool-arguments.js';
import type { Tool } from './tools/tool.js';
import { codeOf, failureOf } from './tools/tool-errors.js';
import { ToolRegistry } from './tools/tool-registry.js';

/** A call that is ready to go on. */
interface ReadyCall {
  tool: Tool;
  caller: ToolCaller;
  given: ToolArguments;
  request: ApiRequest;
  /** Of an effect. One that is made of the call is made when it is first asked for: not for a call over the limit. */
  idempotencyKey?: () => Promise<string>;
  approvalToken?: string;
  agentSession: string | undefined;
}

/**
 * A tool call from its parameters to the API's answer: arguments, then the rate window and the shield's decision
 * (committed before anything goes
 * on), then the mapped route with the caller's own credential (tenant-api.md 5, items 14 and 15).
 */
@Injectable()
export class ToolCallsService {
  private readonly seconds;
  private readonly log: Log;

  constructor(
    private readonly registry: ToolRegistry,
    private readonly admissions: ToolAdmissionsService,
    private readonly states: CallStatesService,
    private readonly signer: ToolCallSigner,
    private readonly api: ApiConnection,
    private readonly steps: ToolCallSteps,
    @Inject(LOG) log: Log,
    metrics: Metrics,
  ) {
    // What is written here holds no secret, whatever came in: nothing to look for and remove.
    this.log = log.child({}, { redact: [] });
    this.seconds = metrics.histogram(
      'svc_tool_call_seconds',
      'Time of a tool call, by tool and code (0: it succeeded).',
      ['tool', 'transport', 'code'],
    );
  }

  /** @throws RpcFailure or a Problem */
  async call(name: string, params: object | undefined, peer: Peer): Promise<JsonText> {
    const tool = this.registry.find(name);
    if (!tool) throw new RpcFailure(RPC_CODES.methodNotFound, `Method not found: ${name}`);
    const startedAt = performance.now();
    let code = 0;
    try {
      return await traced(...spanOf(name, peer), () => this.run(tool, params, peer));
    } catch (error) {
      code = codeToTell(error);
      throw error;
    } finally {
      this.record(tool, peer, { code, ms: performance.now() - startedAt });
    }
  }

  /** The definitions, as MCP lists them; of a public peer those it may call. */
  async list({ isPublic }: Peer): Promise<{ tools: object[] }> {
    return {
      tools: this.registry.tools.filter((tool) => tool.isPublic || !isPublic).map(({ definition }) => definition),
    };
  }

  /** By `name` and `arguments`; the result as MCP shapes it, its failure as the error of the call. */
  async callNamed(params: object | undefined, peer: Peer): Promise<object> {
    const { name, arguments: given } = (params ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== 'string') throw invalid('params.name', 'must be the name of a tool; tools/list has them');
    if (given !== undefined && (typeof given !== 'object' || given === null))
      throw invalid('params.arguments', 'must be an object');
    if (!this.registry.find(name)) throw invalid('params.name', 'names no tool; tools/list has them');
    const result = await this.call(name, given ?? undefined, peer);
    return {
      content: [{ type: 'text', text: result.text }],
      structuredContent: result,
      isError: false,
      ...(result.isReplayed ? { replayed: true } : {}),
    };
  }

  private async run(tool: Tool, params: object | undefined, peer: Peer): Promise<JsonText> {
    const { caller } = peer;
    if (!caller || (peer.isPublic && !tool.isPublic))
      throw new Unauthorized({}, 'This tool needs a credential: call it by /rpc with x-tenant-id and x-api-key');
    const ready = this.readyCall(tool, readArguments(tool, params, peer.requestId), { peer, caller });
    const call = toolCallOf(ready);
    return this.steps.around(call, ready.agentSession, () => this.callApi(call, ready, peer));
  }

  private async callApi(call: ToolCall, ready: ReadyCall, peer: Peer): Promise<JsonText> {
    const { request, tool } = ready;
    const { decisionId } = await this.admit(call, ready);
    const { clientAddress } = peer;
    const signed = await this.signer.sign(toolCallToSign(call, { decisionId, request, clientAddress }));
    const answer = await this.api.call({
      method: request.method,
      path: request.path,
      headers: { ...(await headersOf(ready, peer)), [TOOL_CALL_HEADER]: signed },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(tool.isRead && peer.signal ? { signal: peer.signal } : {}),
    });
    forwardHeaders(peer, answer);
    if (answer.status >= 200 && answer.status < 300)
      return new JsonText(answer.text === '' ? 'null' : answer.text, answer.headers[REPLAYED_HEADER] === 'true');
    throw failureOf(answer.status, parsed(answer.text), tool);
  }

  /** @throws IdempotencyKeyRequired for an effect without a key */
  private readyCall(tool: Tool, given: ToolArguments, { peer, caller }: { peer: Peer; caller: ToolCaller }): ReadyCall {
    const request = requestOf(tool, given.args);
    const call: ReadyCall = { tool, caller, given, request, agentSession: checkedSession(peer.agentSession) };
    const approvalToken = given.approvalToken ?? peer.approvalToken;
    if (approvalToken !== undefined) call.approvalToken = approvalToken;
    if (tool.idempotency === 'none') return call;
    const sent = keyOf(tool, given, peer);
    let key: Promise<string> | undefined;
    call.idempotencyKey = () => (key ??= sent === undefined ? this.deriveKey(call) : Promise.resolve(sent));
    return call;
  }

  private async deriveKey({ tool, caller, given, request }: ReadyCall): Promise<string> {
    const { tenantId, principal } = caller;
    const state = await this.states.read(caller, tool, request);
    return derivedKey({ tenantId, principal, tool: tool.definition.name, arguments: given.args, state });
  }

  private admit(call: ToolCall, { tool, given, request, idempotencyKey, approvalToken }: ReadyCall) {
    const { spends } = tool;
    return this.admissions.admit({
      ...call,
      ...(approvalToken === undefined ? {} : { approvalToken }),
      ...(spends === undefined ? {} : { spendsCredits: given.args[spends] as number }),
      ...(idempotencyKey === undefined
        ? {}
        : { effect: { method: request.method, path: request.path.split('?')[0]!, idempotencyKey } }),
    });
  }

  private record(tool: Tool, peer: Peer, { code, ms }: { code: number; ms: number }): void {
    const { name } = tool.definition;
    this.seconds.observe({ tool: name, transport: peer.transport, code: String(code) }, ms / 1000);
    const { caller, requestId, transport, traceparent } = peer;
    this.log.info(
      {
        request_id: requestId,
        trace_id: traceparent.slice(3, 35),
        tenant: caller?.tenantId,
        principal: caller?.principal,
        tool: name,
        transport,
        code,
        ms: Math.round(ms * 10) / 10,
      },
      'tool call',
    );
  }
}

/** Of a call that came by no request of HTTP the peer has the trace. */
const spanOf = (tool: string, { traceparent, transport }: Peer): [string, SpanOptions] => [
  `execute_tool ${tool}`,
  {
    attributes: {
      ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool },
      'network.protocol.name': transport,
    },
    ...(isInTrace() ? {} : { parent: traceparent }),
  },
];

function codeToTell(error: unknown): number {
  if (error instanceof RpcFailure) return error.code;
  return error instanceof Problem ? codeOf(error.kind.status, error.kind.type) : RPC_CODES.internalError;
}

/** The parameter, or the header of the request; both must agree, as for the API (D9). */
function keyOf(
  { idempotency }: Tool,
  { idempotencyKey: own }: ToolArguments,
  { idempotencyKey: ofHeader }: Peer,
): string | undefined {
  if (own !== undefined && ofHeader !== undefined && own !== ofHeader)
    throw new IdempotencyKeyRequired(
      {},
      'params.idempotency_key and the header x-idempotency-key differ; send one, or the same in both',
    );
  const key = own ?? ofHeader;
  const isMissing = key === undefined && idempotency === 'required';
  if (isMissing || (key !== undefined && !/^(?=.{8,255}$)[!-~]([ -~]*[!-~])?$/.test(key)))
    throw new IdempotencyKeyRequired(
      {},
      'Send params.idempotency_key with 8 to 255 characters of ASCII, a new one for each effect; where a request holds one call, the header x-idempotency-key serves too',
    );
  return key;
}

/** The call as the shield decides on it and as it is signed for the API. */
const toolCallOf = ({ tool, caller, given, request }: ReadyCall): ToolCall => ({
  caller,
  tool: tool.definition.name,
  route: request.address,
  serverId: TOOL_SERVER_ID,
  toolDigest: tool.digest,
  isRead: tool.isRead,
  arguments: given.args,
});

async function headersOf(call: ReadyCall, peer: Peer): Promise<Record<string, string>> {
  const { request, approvalToken, agentSession } = call;
  const idempotencyKey = await call.idempotencyKey?.();
  return {
    ...credentialOf(call, peer),
    'x-request-id': peer.requestId,
    traceparent: currentTraceparent() ?? peer.traceparent,
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'x-idempotency-key': idempotencyKey }),
    ...(approvalToken === undefined ? {} : { 'x-shield-approval-token': approvalToken }),
    ...(agentSession === undefined ? {} : { [SESSION_HEADER]: agentSession }),
  };
}

/** What the API is shown: the caller's own credential. */
function credentialOf({ tool, caller, given }: ReadyCall, { credential }: Peer): Record<string, string> {
  if (tool.credential === 'none') return {};
  if (tool.credential === 'session_token') return { authorization: `Bearer ${given.sessionToken}` };
  if (caller.authType === 'agent') return { authorization: `Bearer ${credential.bearer}` };
  return { 'x-tenant-id': caller.tenantId, 'x-api-key': credential.apiKey ?? credential.bearer ?? '' };
}

const REPLAYED_HEADER = 'x-idempotency-replayed';

/**
 * How an agent that registered itself stands (tenant-api.md 5, item 9), and whether an answer is that of an earlier
 * call.
 */
const FORWARDED_HEADERS = [
  'x-svc-credits-remaining',
  'x-svc-rate-limit-daily-remaining',
  'x-svc-sponsor-required',
  'x-svc-upgrade-url',
  REPLAYED_HEADER,
];

function forwardHeaders({ responseHeaders }: Peer, { headers }: ApiAnswer): void {
  if (!responseHeaders) return;
  for (const name of FORWARDED_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') responseHeaders.set(name, value);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

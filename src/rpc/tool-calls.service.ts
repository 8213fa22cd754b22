import { Inject, Injectable } from '@nestjs/common';
import { checkedSession } from '../common/http/agent-session.js';
import { LOG, type Log } from '../common/observability/log.js';
import { Metrics } from '../common/observability/metrics.js';
import { isInTrace, type SpanOptions, traced } from '../common/observability/tracing.js';
import { invalid, Unauthorized } from '../common/problem/common-problems.js';
import { Problem } from '../common/problem/problem.js';
import type { ToolCall } from '../common/call-policy/tool-call-signer.js';
import { TOOL_SERVER_ID } from '../common/call-policy/shield-pipeline.js';
import { ALL_SET, TOOL_SET_NAMES } from '../common/contract/tool-sets.js';
import { ToolAdmissionsService } from '../modules/shield/core/tool-calls/tool-admissions.service.js';
import { AgentAnswer } from './agent/agent-answer.js';
import type { OtherTools } from './agent/servers.js';
import { otherToolUnknown, withTenant } from './agent/agent-arguments.js';
import { AgentCalls } from './agent/agent-calls.service.js';
import { CallStatesService } from './call-states.service.js';
import { effectKeyOf, effectOf } from './effect-key.js';
import { RPC_CODES, RpcFailure } from './json-rpc.js';
import { parsedJson } from '../common/http/parsed-json.js';
import { JsonText } from './json-text.js';
import { ToolCallSteps } from './tool-call-steps.js';
import type { Peer, ToolCaller } from './peer.js';
import { forwardHeaders, REPLAYED_HEADER } from './forwarded-headers.js';
import { ServerCredentials } from './server-credentials.js';
import type { ServerAnswer } from './server-connection.js';
import { ToolRequests } from './tool-requests.service.js';
import { ToolCatalog } from './tools/tool-catalog.service.js';
import { derivedKey, readArguments, requestOf, type ApiRequest, type ToolArguments } from './tools/tool-arguments.js';
import type { Tool } from './tools/tool.js';
import { codeOf, failureOf, failureOfFile, isJsonType } from './tools/tool-errors.js';
import { isReportedOff } from '../common/contract/plane-reported-off.js';
import type { AgentTool } from './agent/agent-tool.js';
import { resultOfAgentAnswer } from './mcp/mcp-results.js';

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
 * (committed before anything goes on), then the mapped route with the caller's own credential (tenant-api.md 5, items
 * 14 and 15).
 */
@Injectable()
export class ToolCallsService {
  private readonly seconds;
  private readonly log: Log;

  constructor(
    private readonly admissions: ToolAdmissionsService,
    private readonly states: CallStatesService,
    private readonly requests: ToolRequests,
    private readonly credentials: ServerCredentials,
    private readonly agentCalls: AgentCalls,
    private readonly catalog: ToolCatalog,
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
  async call(name: string, params: object | undefined, peer: Peer): Promise<JsonText | AgentAnswer> {
    const tool = await this.catalog.find(name);
    if (!tool) throw new RpcFailure(RPC_CODES.methodNotFound, `Method not found: ${name.slice(0, 100)}`);
    const startedAt = performance.now();
    let code = 0;
    try {
      return await traced(...spanOf(name, peer), () => this.run(tool, params, peer));
    } catch (error) {
      code = codeToTell(error);
      throw error;
    } finally {
      this.record(name, peer, { code, ms: performance.now() - startedAt });
    }
  }

  /**
   * The definitions, as MCP lists them; of a public peer those it may call.
   * @throws ValidationFailed for a set that there is not
   */
  async list(params: object | undefined, { isPublic, toolSet }: Peer): Promise<{ tools: object[] }> {
    const { tool_set: named } = (params ?? {}) as { tool_set?: unknown };
    if (named !== undefined && typeof named !== 'string')
      throw invalid('params.tool_set', `must be one of ${TOOL_SET_NAMES.join(', ')}`);
    const tools = await (named === undefined
      ? this.catalog.toolsOf(toolSet ?? ALL_SET)
      : this.catalog.toolsOf(named, 'params.tool_set'));
    return { tools: tools.filter((tool) => !isPublic || isOpen(tool)).map(({ definition }) => definition) };
  }

  /** By `name` and `arguments`; the result as MCP shapes it, its failure as the error of the call. */
  async callNamed(params: object | undefined, peer: Peer): Promise<object> {
    const { name, arguments: given } = (params ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== 'string') throw invalid('params.name', 'must be the name of a tool; tools/list has them');
    if (given !== undefined && (typeof given !== 'object' || given === null))
      throw invalid('params.arguments', 'must be an object');
    if (!(await this.catalog.find(name))) throw invalid('params.name', 'names no tool; tools/list has them');
    const result = await this.call(name, given ?? undefined, peer);
    if (result instanceof AgentAnswer) return resultOfAgentAnswer(result);
    return {
      content: [{ type: 'text', text: result.text }],
      structuredContent: result,
      isError: false,
      ...(result.isReplayed ? { replayed: true } : {}),
    };
  }

  private async run(tool: Tool | AgentTool, params: object | undefined, peer: Peer): Promise<JsonText | AgentAnswer> {
    const { caller } = peer;
    if (!caller || (peer.isPublic && !isOpen(tool)))
      throw new Unauthorized({}, 'This tool needs a credential: call it by /rpc with x-tenant-id and x-api-key');
    if ('run' in tool) return this.agentCalls.run(tool, params, { peer, caller, tools: this.toolsFor(peer, caller) });
    const ready = this.readyCall(tool, readArguments(tool, params, peer.requestId), { peer, caller });
    const call = toolCallOf(ready);
    return this.steps.around(call, ready.agentSession, () => this.callServer(call, ready, peer));
  }

  /** Each is counted and decided on as a call of its own. */
  private toolsFor(peer: Peer, { tenantId }: ToolCaller): OtherTools {
    return {
      list: (set) => this.catalog.definitionsOf(set),
      call: async (name, given, key) => {
        const tool = await this.catalog.find(name);
        if (!tool) throw otherToolUnknown();
        const full = await withTenant(tool, given, () => Promise.resolve(tenantId));
        const answer = await this.call(name, full, { ...peer, idempotencyKey: key });
        return { text: answer.text, isReplayed: answer.isReplayed };
      },
    };
  }

  private async callServer(call: ToolCall, ready: ReadyCall, peer: Peer): Promise<JsonText> {
    const { request, tool, caller, given, approvalToken, agentSession } = ready;
    const { decisionId } = await this.admit(call, ready);
    const idempotencyKey = await ready.idempotencyKey?.();
    const sent = {
      ...{ credential: this.credentials.of(caller, peer, { tool, given }) },
      ...{ decisionId, idempotencyKey, approvalToken, agentSession },
    };
    const isOfDaemon = this.catalog.isOfDaemon(tool);
    const answer = await (isOfDaemon
      ? this.requests.toDaemon(call, request, sent, peer)
      : this.requests.toApi(call, request, sent, peer));
    forwardHeaders(peer, answer);
    return textOf(answer, tool, peer);
  }

  /** @throws IdempotencyKeyRequired for an effect without a key */
  private readyCall(tool: Tool, given: ToolArguments, { peer, caller }: { peer: Peer; caller: ToolCaller }): ReadyCall {
    const request = requestOf(tool, given.args);
    const call: ReadyCall = { tool, caller, given, request, agentSession: checkedSession(peer.agentSession) };
    const approvalToken = given.approvalToken ?? peer.approvalToken;
    if (approvalToken !== undefined) call.approvalToken = approvalToken;
    if (tool.idempotency === 'none') return call;
    const sent = effectKeyOf(given.idempotencyKey, peer.idempotencyKey, {
      isRequired: tool.idempotency === 'required',
    });
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
      usesApprovalNow: tool.isRead || this.catalog.isOfDaemon(tool),
      ...(approvalToken === undefined ? {} : { approvalToken }),
      ...(spends === undefined ? {} : { spendsCredits: given.args[spends] as number }),
      ...(idempotencyKey === undefined ? {} : { effect: effectOf(request, idempotencyKey) }),
    });
  }

  private record(name: string, peer: Peer, { code, ms }: { code: number; ms: number }): void {
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

/** Whether it is called without a credential. */
const isOpen = (tool: Tool | AgentTool): boolean => 'isPublic' in tool && tool.isPublic;

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

/**
 * @throws RpcFailure for a refusal, or a file in place of JSON; a plane of the daemon that is switched off says so with
 * 200
 */
function textOf({ status, text, headers }: ServerAnswer, tool: Tool, { requestId }: Peer): JsonText {
  if (status < 300 && text !== '' && !isJsonType(headers['content-type'])) throw failureOfFile(tool, requestId);
  const isOff =
    status < 300 && text.length < MAX_OF_OFF && isReportedOff((parsedJson(text) ?? {}) as Record<string, unknown>);
  if (status >= 200 && status < 300 && !isOff)
    return new JsonText(text === '' ? 'null' : text, headers[REPLAYED_HEADER] === 'true');
  throw failureOf(isOff ? FEATURE_OFF : status, parsedJson(text), tool);
}

/** An answer that says no more than that its plane is off is short. */
const MAX_OF_OFF = 500;
const FEATURE_OFF = 412;

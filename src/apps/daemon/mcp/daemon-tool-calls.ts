import { randomUUID } from 'node:crypto';
import type { CallToolResult, ListToolsResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { TOOL_CALL_HEADER, type ToolCallSigner } from '../../../common/call-policy/tool-call-signer.js';
import type { Address } from '../../../common/contract/contract.js';
import { DEFAULT_SET } from '../../../common/contract/tool-sets.js';
import type { ClientAddresses } from '../../../common/http/client-address.js';
import { currentTraceparent, traced } from '../../../common/observability/tracing.js';
import { Unauthorized } from '../../../common/problem/common-problems.js';
import { Problem } from '../../../common/problem/problem.js';
import type {
  ApprovalHandoverService,
  Handover,
} from '../../../modules/shield/core/approvals/approval-handover.service.js';
import type { ToolSetChoices } from '../../../modules/access/tenant-settings/tool-set-choices.service.js';
import type { AgentAnswer } from '../../../rpc/agent/agent-answer.js';
import { otherToolUnknown, readAgentArguments, withTenant } from '../../../rpc/agent/agent-arguments.js';
import { effectOfAgentCall, keyedCall, type AgentRepeats } from '../../../rpc/agent/agent-repeats.js';
import { failureOfAgentCall } from '../../../rpc/agent/agent-failures.js';
import { addressOf, type AgentTool } from '../../../rpc/agent/agent-tool.js';
import { newIdOf } from '../../../rpc/agent/new-id.js';
import { replyOf } from '../../../rpc/agent/route-reply.js';
import { requestTo } from '../../../rpc/agent/route-request.js';
import { runAgentTool } from '../../../rpc/agent/run-agent-tool.js';
import {
  RouteRefusal,
  type RouteParts,
  type OtherTools,
  type Servers,
  type RouteReply,
  type ServerName,
} from '../../../rpc/agent/servers.js';
import type { ApiConnection } from '../../../rpc/api-connection.js';
import { effectOf } from '../../../rpc/effect-key.js';
import { REPLAYED_HEADER } from '../../../rpc/forwarded-headers.js';
import { parsedJson } from '../../../common/http/parsed-json.js';
import { JsonText } from '../../../rpc/json-text.js';
import { failureIn, isReplay, resultOf } from '../../../rpc/mcp/mcp-results.js';
import type { ServerAnswer } from '../../../rpc/server-connection.js';
import { readArguments, requestOf, type ApiRequest } from '../../../rpc/tools/tool-arguments.js';
import type { ToolCatalog } from '../../../rpc/tools/tool-catalog.service.js';
import { failureOf, failureOfProblem } from '../../../rpc/tools/tool-errors.js';
import { toolSetIn } from '../../../rpc/tools/requested-tool-set.js';
import type { Tool } from '../../../rpc/tools/tool.js';
import type { ApiCredentials } from './api-credentials.js';
import {
  type AdmittedCall,
  type AskedCall,
  askedOfOwnTool,
  type DaemonToolAdmission,
} from './daemon-tool-admission.js';
import { withScopes, type ToolScopes } from './listed-tools.js';
import { callRoute, callTool, type ToolRoutes } from './tool-call.js';

/** What goes along with a request to the API. */
interface SentWith {
  approvalToken?: string | undefined;
  admitted: AdmittedCall | undefined;
}

/** What the calls need. */
interface Parts {
  routes: ToolRoutes;
  /** Of the routes of its own tools. */
  scopes: ToolScopes;
  catalog: ToolCatalog;
  choices: ToolSetChoices;
  /** null where no address of it is known. */
  api: ApiConnection | null;
  credentials: ApiCredentials;
  admission: DaemonToolAdmission;
  handover: ApprovalHandoverService;
  repeats: AgentRepeats;
  signer: ToolCallSigner;
  addresses: ClientAddresses;
}

/**
 * The tools of the daemon's MCP listener: its own are routes of its HTTP listener, those of the tenant API routes of
 * the API, and those made for agents may need both. A call of a caller whom the tenant's shield knows is counted and
 * decided on first, as in the tool service; then each route asks what it asks of everyone.
 */
export class DaemonToolCalls {
  constructor(private readonly parts: Parts) {}

  find(name: string): Promise<Tool | AgentTool | undefined> {
    return this.parts.catalog.find(name);
  }

  /** Its own with the scopes of their routes. @throws ValidationFailed for a set that there is not */
  async list(request: FastifyRequest): Promise<ListToolsResult> {
    const { catalog, scopes } = this.parts;
    const listed = await catalog.list(toolSetIn(request) ?? (await this.chosenBy(request)));
    const tools = listed.tools.map((tool): ListedTool => withScopes(tool, scopes.get(tool.name)));
    return { ...listed, tools };
  }

  /** Of the caller's tenant, where that is known. */
  private async chosenBy(request: FastifyRequest): Promise<string> {
    const tenantId = await this.parts.credentials.findTenantOf(request);
    return tenantId === undefined ? DEFAULT_SET : this.parts.choices.of(tenantId);
  }

  /** @throws RpcFailure */
  async call(tool: Tool | AgentTool, given: Record<string, unknown>, request: FastifyRequest): Promise<CallToolResult> {
    if (!('run' in tool) && this.parts.catalog.isOfDaemon(tool)) return this.callOwnTool(tool, given, request);
    const answer = 'run' in tool ? this.runAgentTool(tool, given, request) : this.callApiTool(tool, given, request);
    return resultOf(await answer);
  }

  /**
   * What became of an approval that the caller asked for.
   * @throws RpcFailure for a caller whom the shield of no tenant knows any more
   */
  async takeApproval(approvalRequestId: string, request: FastifyRequest): Promise<Handover | undefined> {
    const caller = await this.parts.credentials.findTenantCaller(request);
    if (!caller) throw failureOfProblem(new Unauthorized({}, 'The credential holds no longer'), request.id);
    return this.parts.handover.take(caller, approvalRequestId);
  }

  private async callOwnTool(
    tool: Tool,
    given: Record<string, unknown>,
    request: FastifyRequest,
  ): Promise<CallToolResult> {
    const asked = askedOfOwnTool(tool, given);
    await this.admit(asked, request);
    return callTool(this.parts.routes, tool, asked.args, request);
  }

  /** @throws RpcFailure where the rate window is used up or the shield does not let it pass */
  private async admit(asked: AskedCall, request: FastifyRequest): Promise<AdmittedCall | undefined> {
    try {
      return await this.parts.admission.admit(asked, request);
    } catch (error) {
      throw failureOfAgentCall(error, asked.name, request.id);
    }
  }

  private async callApiTool(tool: Tool, given: Record<string, unknown>, request: FastifyRequest): Promise<JsonText> {
    const { args, idempotencyKey, approvalToken } = readArguments(tool, given, request.id);
    const { route, definition } = tool;
    const asked = { tool, name: definition.name, route, args, approvalToken, usesApprovalNow: tool.isRead };
    try {
      const wanted = requestOf(tool, args);
      const effect = idempotencyKey === undefined ? undefined : effectOf(wanted, () => Promise.resolve(idempotencyKey));
      const admitted = await this.admit({ ...asked, effect }, request);
      const key = tool.idempotency === 'none' ? undefined : (idempotencyKey ?? randomUUID());
      const answer = await this.sendToApi(wanted, { key, approvalToken, admitted }, request);
      if (answer.status >= 400) throw failureOf(answer.status, parsedJson(answer.text), tool);
      return new JsonText(answer.text === '' ? 'null' : answer.text, answer.headers[REPLAYED_HEADER] === 'true');
    } catch (error) {
      if (error instanceof Problem || error instanceof RouteRefusal)
        throw failureOfAgentCall(error, tool.definition.name, request.id);
      throw error;
    }
  }

  private async runAgentTool(
    tool: AgentTool,
    given: Record<string, unknown>,
    request: FastifyRequest,
  ): Promise<AgentAnswer> {
    const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.name };
    try {
      const tenantId = await this.parts.credentials.findTenantOf(request);
      const read = readAgentArguments(tool, given, { tenantId });
      const usesApprovalNow = !tool.changesApi(read.given);
      const keyed = keyedCall(tool, read);
      const effect = keyed && effectOfAgentCall(keyed);
      const asked = { ...read, tool, name: tool.name, route: addressOf(tool), usesApprovalNow, effect };
      const admitted = await this.admit(asked, request);
      const servers: Servers = {
        ...{ tools: this.toolsFor(request), idempotencyKey: read.idempotencyKey },
        newId: () => newIdOf({ tool: tool.name, args: read.args, key: read.idempotencyKey }),
        tenantId: () => this.parts.credentials.tenantOf(request),
        call: <T extends object>(server: ServerName, address: Address, parts?: RouteParts) =>
          this.send<T>({ server, address, parts }, { isRead: tool.isRead, ...read, admitted }, request),
      };
      const run = () =>
        traced(`execute_tool ${tool.name}`, { attributes }, () => runAgentTool(tool, read.given, servers));
      if (!keyed || !admitted) return await run();
      return await this.parts.repeats.run({ ...keyed, caller: admitted.call.caller }, run);
    } catch (error) {
      throw failureOfAgentCall(error, tool.name, request.id);
    }
  }

  private toolsFor(request: FastifyRequest): OtherTools {
    return {
      list: (set) => this.parts.catalog.definitionsOf(set),
      call: async (name, given, key) => {
        const tool = await this.find(name);
        if (!tool) throw otherToolUnknown();
        const full = await withTenant(tool, given, () => this.parts.credentials.findTenantOf(request));
        const result = await this.call(tool, { ...(takesKey(tool) ? keyIn(key) : {}), ...full }, request);
        const failure = failureIn(result);
        if (failure) throw failure;
        const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        return { text, isReplayed: isReplay(result) };
      },
    };
  }

  private async send<T extends object>(
    { server, address, parts }: { server: ServerName; address: Address; parts: RouteParts | undefined },
    { isRead, idempotencyKey, ...sent }: SentWith & { isRead: boolean; idempotencyKey?: string },
    request: FastifyRequest,
  ): Promise<RouteReply<T>> {
    const asked = requestTo(address, parts);
    const key = isRead || asked.method === 'GET' ? undefined : (idempotencyKey ?? randomUUID());
    const answer =
      server === 'daemon'
        ? callRoute(this.parts.routes.http, asked, request).then((answer) => ({ ...answer, headers: {} }))
        : this.sendToApi(asked, { ...sent, key }, request);
    return replyOf<T>({ server, address, requestId: request.id }, answer);
  }

  /** @throws UpstreamUnavailable, RouteRefusal for a caller that the API would not know */
  private async sendToApi(
    asked: ApiRequest,
    { key, approvalToken, admitted }: SentWith & { key: string | undefined },
    request: FastifyRequest,
  ): Promise<ServerAnswer> {
    const { method, path, address, body } = asked;
    const traceparent = currentTraceparent();
    const { api, signer, addresses } = this.parts;
    if (!api) throw new RouteRefusal('api', address, 503, { type: 'UpstreamUnavailable', detail: NO_API });
    return api.call({
      ...{ method, path },
      headers: {
        ...(await this.parts.credentials.of(request, address)),
        'x-request-id': request.id,
        ...(admitted && {
          [TOOL_CALL_HEADER]: await signer.signRequest(admitted.call, asked, {
            ...{ decisionId: admitted.decisionId, clientAddress: addresses.of(request) },
          }),
        }),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'x-idempotency-key': key }),
        ...(approvalToken === undefined ? {} : { 'x-shield-approval-token': approvalToken }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

/** Of the others, the routes take none. */
const takesKey = (tool: Tool | AgentTool): boolean => ('run' in tool ? !tool.isRead : tool.idempotency !== 'none');

const keyIn = (key: string | undefined): object => (key === undefined ? {} : { idempotency_key: key });

const NO_API = 'the daemon does not know where the tenant API is; its operator sets SVC_API_URL';

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TOOL_SERVER_ID } from '../../common/call-policy/shield-pipeline.js';
import type { ToolCall } from '../../common/call-policy/tool-call-signer.js';
import type { Address } from '../../common/contract/contract.js';
import { checkedSession } from '../../common/http/agent-session.js';
import { ToolAdmissionsService } from '../../modules/shield/core/tool-calls/tool-admissions.service.js';
import { forwardHeaders, REPLAYED_HEADER } from '../forwarded-headers.js';
import type { Peer, ToolCaller } from '../peer.js';
import { ServerCredentials } from '../server-credentials.js';
import { ToolCallSteps } from '../tool-call-steps.js';
import { ToolRequests } from '../tool-requests.service.js';
import type { AgentAnswer } from './agent-answer.js';
import { readAgentArguments, type AgentArguments } from './agent-arguments.js';
import { failureOfAgentCall } from './agent-failures.js';
import { AgentRepeats, effectOfAgentCall, keyedCall } from './agent-repeats.js';
import { addressOf, type AgentTool } from './agent-tool.js';
import { newIdOf } from './new-id.js';
import { replyOf } from './route-reply.js';
import { requestTo } from './route-request.js';
import { runAgentTool } from './run-agent-tool.js';
import type { OtherTools, RouteParts, RouteReply, ServerName, Servers } from './servers.js';

/** Who calls, and how. */
interface Speaking {
  peer: Peer;
  caller: ToolCaller;
  tools: OtherTools;
}

/**
 * Calls of the tools that are made for agents, in the tool service: counted and decided on once, as every tool call is,
 * before the first request goes to a server.
 */
@Injectable()
export class AgentCalls {
  constructor(
    private readonly admissions: ToolAdmissionsService,
    private readonly requests: ToolRequests,
    private readonly credentials: ServerCredentials,
    private readonly steps: ToolCallSteps,
    private readonly repeats: AgentRepeats,
  ) {}

  /** @throws RpcFailure, Problem */
  async run(tool: AgentTool, params: object | undefined, { peer, caller, tools }: Speaking): Promise<AgentAnswer> {
    const { name } = tool;
    try {
      const read = readAgentArguments(tool, params, { tenantId: caller.tenantId, headerKey: peer.idempotencyKey });
      const call: ToolCall = {
        ...{ caller, tool: name, route: addressOf(tool), serverId: TOOL_SERVER_ID, toolDigest: tool.digest },
        ...{ isRead: tool.isRead, arguments: read.args },
      };
      const session = checkedSession(peer.agentSession);
      const speaking = { peer: { ...peer, agentSession: session }, caller, tools };
      return await this.steps.around(call, session, () => this.admitAndRun(tool, call, read, speaking));
    } catch (error) {
      throw failureOfAgentCall(error, name, peer.requestId);
    }
  }

  private async admitAndRun(
    tool: AgentTool,
    call: ToolCall,
    read: AgentArguments,
    { peer, caller, tools }: Speaking,
  ): Promise<AgentAnswer> {
    const { args, given, idempotencyKey: key, approvalToken = undefined } = read;
    const token = approvalToken ?? peer.approvalToken;
    const keyed = keyedCall(tool, read);
    const { decisionId } = await this.admissions.admit({
      ...call,
      usesApprovalNow: !tool.changesApi(given),
      ...(token === undefined ? {} : { approvalToken: token }),
      ...(keyed === undefined ? {} : { effect: effectOfAgentCall(keyed) }),
    });
    const sent = {
      ...{ credential: this.credentials.of(caller, peer), decisionId, approvalToken: token },
      ...{ idempotencyKey: key, agentSession: peer.agentSession },
    };
    const servers: Servers = {
      ...{ tools, idempotencyKey: key, newId: () => newIdOf({ tool: tool.name, args, key }) },
      tenantId: () => Promise.resolve(caller.tenantId),
      call: <T extends object>(server: ServerName, address: Address, parts?: RouteParts) =>
        this.send<T>(call, { server, address, parts }, sent, peer),
    };
    const run = () => runAgentTool(tool, given, servers);
    const answer = await (keyed === undefined ? run() : this.repeats.run({ ...keyed, caller }, run));
    if (answer.isReplayed) peer.responseHeaders?.set(REPLAYED_HEADER, 'true');
    return answer;
  }

  private async send<T extends object>(
    call: ToolCall,
    { server, address, parts }: { server: ServerName; address: Address; parts: RouteParts | undefined },
    sent: Parameters<ToolRequests['toApi']>[2],
    peer: Peer,
  ): Promise<RouteReply<T>> {
    const request = requestTo(address, parts);
    const isWrite = !call.isRead && request.method !== 'GET';
    // Whoever sends no key means a new effect each time: a repeat is never answered from before.
    const key = isWrite ? (sent.idempotencyKey ?? randomUUID()) : undefined;
    const withKey = { ...sent, idempotencyKey: key };
    const send = async () => {
      const answer = await (server === 'api'
        ? this.requests.toApi(call, request, withKey, peer)
        : this.requests.toDaemon(call, request, withKey, peer));
      forwardHeaders(peer, answer);
      return answer;
    };
    return replyOf<T>({ server, address, requestId: peer.requestId }, send());
  }
}

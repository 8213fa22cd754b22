import type { FastifyRequest } from 'fastify';
import { TOOL_SERVER_ID } from '../../../common/call-policy/shield-pipeline.js';
import type { ToolCall } from '../../../common/call-policy/tool-call-signer.js';
import type { ToolAdmissionsService } from '../../../modules/shield/core/tool-calls/tool-admissions.service.js';
import type { ToolCallToAdmit } from '../../../modules/shield/core/tool-calls/tool-admissions.types.js';
import type { AgentTool } from '../../../rpc/agent/agent-tool.js';
import type { Tool } from '../../../rpc/tools/tool.js';
import type { ApiCredentials } from './api-credentials.js';

/** A call as the shield decides on it. */
export interface AskedCall {
  tool: Tool | AgentTool;
  name: string;
  /** The address of the route that it goes on to. */
  route: string;
  args: Record<string, unknown>;
  approvalToken?: string | undefined;
  /** Whether an approval is used up with the decision: the API uses it with the effect. */
  usesApprovalNow: boolean;
  /** Where the API keeps its answer for repeats. */
  effect?: ToolCallToAdmit['effect'] | undefined;
}

/** A call that was let through. */
export interface AdmittedCall {
  call: ToolCall;
  decisionId: string | undefined;
}

/** One of the daemon's own, which takes the token of an approval with its arguments. */
export function askedOfOwnTool(
  tool: Tool,
  { shield_approval_token: token, ...args }: Record<string, unknown>,
): AskedCall {
  const approvalToken = typeof token === 'string' ? token : undefined;
  return { tool, name: tool.definition.name, route: tool.route, args, approvalToken, usesApprovalNow: true };
}

/** What stands before each call of a tool at the daemon, whatever offers it: the shield of the caller's tenant. */
export class DaemonToolAdmission {
  constructor(
    private readonly admissions: Pick<ToolAdmissionsService, 'admit'>,
    private readonly credentials: Pick<ApiCredentials, 'findTenantCaller'>,
  ) {}

  /**
   * @returns undefined for a caller whom the shield of no tenant knows
   * @throws RateWindowExceeded, ShieldDenied, ShieldApprovalRequired
   */
  async admit(asked: AskedCall, request: FastifyRequest): Promise<AdmittedCall | undefined> {
    const { tool, name, route, args, approvalToken, usesApprovalNow, effect } = asked;
    const caller = await this.credentials.findTenantCaller(request);
    if (!caller) return undefined;
    const { isRead, digest: toolDigest } = tool;
    const call = { caller, tool: name, route, serverId: TOOL_SERVER_ID, toolDigest, isRead, arguments: args };
    const spends = 'spends' in tool && tool.spends !== undefined ? Number(args[tool.spends]) : undefined;
    const { decisionId } = await this.admissions.admit({
      ...{ ...call, usesApprovalNow, ...(approvalToken === undefined ? {} : { approvalToken }) },
      ...(spends === undefined ? {} : { spendsCredits: spends }),
      ...(effect === undefined ? {} : { effect }),
    });
    return { call, decisionId };
  }
}

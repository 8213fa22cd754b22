import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from '../../../common/bearer-auth/authenticator.js';
import { coversTenant, homeTenantOf, type Identity } from '../../../common/bearer-auth/daemon-caller.js';
import { agentSessionIn } from '../../../common/http/agent-session.js';
import { statusOf, type ToolCallSteps } from '../../../rpc/tool-call-steps.js';
import type { Tool } from '../../../rpc/tools/tool.js';
import { problemIn } from './tool-call.js';

/** What knows who calls, and in which tenant that works unless it says so. */
interface KnownCallers {
  authenticator: Authenticator;
  defaultTenant: string;
}

/** Tool calls of the MCP listener as steps of the sessions that asked for it, as those of the tool service are. */
export class McpSteps {
  constructor(
    private readonly steps: ToolCallSteps,
    private readonly callers: KnownCallers,
  ) {}

  async around(
    { definition: { name }, digest }: Pick<Tool, 'digest'> & { definition: { name: string } },
    given: Record<string, unknown>,
    request: FastifyRequest,
    work: () => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const by = this.steps.isOn ? await this.find(given, request) : undefined;
    if (!by) return work();
    const call = { caller: by, tool: name, toolDigest: digest, arguments: given };
    return this.steps.around(call, by.session, work, (result) => {
      const problem = problemIn(result);
      return problem ? statusOf(Number(problem['status'])) : 'ok';
    });
  }

  /**
   * Whose request it is, to be ended with its passport and its credential.
   * @returns nobody for one without a credential, or without a tenant of its own
   */
  async callerOf(request: FastifyRequest): Promise<{ tenantId: string; caller: Identity } | undefined> {
    try {
      const caller = await this.callers.authenticator.identify(request);
      const tenantId = homeTenantOf(caller, this.callers.defaultTenant);
      return tenantId === undefined ? undefined : { tenantId, caller };
    } catch {
      return undefined;
    }
  }

  /** Nobody, where the route refuses the credential or the tenant: whose session it is, is not known then. */
  private async find({ tenant_id: named }: Record<string, unknown>, request: FastifyRequest) {
    try {
      const session = agentSessionIn(request);
      if (session === undefined) return undefined;
      const identity = await this.callers.authenticator.identify(request);
      const tenantId = typeof named === 'string' ? named : homeTenantOf(identity, this.callers.defaultTenant);
      if (tenantId === undefined || !coversTenant(identity, tenantId)) return undefined;
      return { tenantId, principal: identity.principal, session };
    } catch {
      return undefined;
    }
  }
}

import type { ServerContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { ApprovalRounds, type Asker, type McpCall } from '../../../rpc/mcp/approval-rounds.js';
import { GateRounds, type Outcome } from './gate-rounds.js';
import type { ToolRoutes } from './tool-call.js';

/** What signs the states of the rounds, by what they wait for: one is not taken for another. */
export interface RoundKeys {
  approvals: Buffer;
  gates: Buffer;
}

/** Of one request: whoever sends it. */
interface RoundClient {
  request: () => FastifyRequest;
  take: Asker['take'];
}

/**
 * The rounds of calls at the daemon: a call may wait for an approval of the shield before it runs, as at the tool
 * service, and for the decision at a gate once it ran.
 */
export class DaemonRounds {
  private readonly approvals: ApprovalRounds;
  private readonly gates: GateRounds;

  constructor(keys: RoundKeys, routes: ToolRoutes, { request, take }: RoundClient) {
    const identity = () => identityOf(request());
    this.approvals = new ApprovalRounds(keys.approvals, { identity, take });
    this.gates = new GateRounds(keys.gates, routes, identity);
  }

  /** @throws Error when the state is not one that was asked with, or no longer */
  async open(state: string, context: ServerContext): Promise<object> {
    return this.approvals.open(state, context).catch(() => this.gates.open(state, context));
  }

  /** @throws RpcFailure, ProtocolError */
  run(call: McpCall & { request: FastifyRequest }): Promise<Outcome> {
    const state = call.context.mcpReq.requestState<object>();
    if (state !== undefined && 'actionId' in state) return this.gates.goOn(call);
    return this.gates.begin({ ...call, run: () => this.approvals.run(call) });
  }
}

const SPEAKS = ['authorization', 'x-tenant-id', 'x-api-key', 'x-svc-scopes', 'x-svc-passport-id', 'x-svc-tenant-id'];

/** Only its keyed digest leaves the process. */
const identityOf = ({ headers }: FastifyRequest): string => JSON.stringify(SPEAKS.map((name) => headers[name] ?? null));

import { Inject, Injectable } from '@nestjs/common';
import type {
  CallToolResult,
  InputRequiredResult,
  ListToolsResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { readBuild } from '../../common/build-info.js';
import { findFault } from '../../common/http/json-body.js';
import { LOG, type Log } from '../../common/observability/log.js';
import { invalid } from '../../common/problem/common-problems.js';
import { RpcFailure } from '../json-rpc.js';
import type { Peer } from '../peer.js';
import { RpcServer } from '../rpc.server.js';
import { failureOfProblem } from '../tools/tool-errors.js';
import { ToolSets } from '../tools/tool-sets.service.js';
import { ToolCatalog } from '../tools/tool-catalog.service.js';
import { CheckedServer } from './checked-server.js';
import type { ApprovalRounds, McpCall } from './approval-rounds.js';
import { McpApprovals } from './mcp-approvals.js';
import { canAsk } from './mcp-elicitation.js';
import { CONTEXT_CACHE, CONTEXT_CAPABILITIES } from './mcp-context.js';
import { resultOf, resultOfFailure } from './mcp-results.js';
import { ServiceContext } from './service-context.js';
import { INSTRUCTIONS, TOOLS_CACHE, toolUnknown } from './mcp-tools.js';

/** Makes what the SDK serves: one server for one HTTP request, or for one conversation on a pipe. */
@Injectable()
export class McpServers {
  private readonly identity = {
    name: 'svc',
    title: 'svc: provable memory for agents',
    version: readBuild().version,
    description: 'Ranked passages of your documents with citations and proofs, and the account of the agent that asks.',
  };

  constructor(
    private readonly rpc: RpcServer,
    private readonly catalog: ToolCatalog,
    private readonly sets: ToolSets,
    private readonly approvals: McpApprovals,
    private readonly context: ServiceContext,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @param peerOf the caller, asked again for every call */
  make(peerOf: () => Peer): Server {
    const rounds = this.approvals.of(peerOf);
    const options = {
      capabilities: { tools: { listChanged: false }, ...CONTEXT_CAPABILITIES },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': TOOLS_CACHE, 'server/discover': TOOLS_CACHE, ...CONTEXT_CACHE },
      requestState: { verify: (state: string, context: ServerContext) => rounds.open(state, context) },
    };
    const server = new CheckedServer(this.identity, options, { log: this.log, requestId: () => peerOf().requestId });
    server.onerror = (error) => this.log.info({ error }, 'mcp: a message was refused');
    this.context.serve(server, peerOf);
    server.setRequestHandler('tools/list', () => this.list(peerOf()));
    server.setRequestHandler('tools/call', ({ params }, context) =>
      this.call({ ...params, rounds, context, peer: peerOf(), canAsk: canAsk(server, context) }),
    );
    return server;
  }

  /** @throws ValidationFailed for a set that there is not */
  private async list(peer: Peer): Promise<ListToolsResult> {
    return this.catalog.list(await this.sets.of(peer));
  }

  /** @throws ProtocolError */
  private async call({ name, arguments: given = {}, rounds, context, peer, canAsk }: Called): Promise<Outcome> {
    if (!(await this.catalog.find(name))) throw toolUnknown(name);
    const client = { ...peer, signal: anyOf(peer.signal, context.mcpReq.signal) };
    const run: McpCall['run'] = async (extra) => resultOf(await this.rpc.invoke(name, { ...given, ...extra }, client));
    try {
      const fault = findFault(given, 'params');
      if (fault) throw failureOfProblem(invalid(fault.path, fault.message), client.requestId);
      return await rounds.run({ name, given, requestId: client.requestId, context, canAsk, run });
    } catch (error) {
      if (error instanceof RpcFailure) return resultOfFailure(error);
      throw error;
    }
  }
}

type Outcome = CallToolResult | InputRequiredResult;

interface Called {
  name: string;
  arguments?: Record<string, unknown>;
  rounds: ApprovalRounds;
  context: ServerContext;
  peer: Peer;
  canAsk: boolean;
}

const anyOf = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined));

import { Module, type DynamicModule } from '@nestjs/common';
import { ToolSetChoicesModule } from '../modules/access/tenant-settings/tool-set-choices.module.js';
import { ApprovalHandoverModule } from '../modules/shield/core/approvals/approval-handover.module.js';
import { WatchStateModule } from '../modules/continuity/watches/watch-state.module.js';
import { ProofStateModule } from '../modules/knowledge/proofs/proof-state.module.js';
import { ToolAdmissionsModule } from '../modules/shield/core/tool-calls/tool-admissions.module.js';
import { AutoSteps } from '../common/evidence-log/auto-steps.js';
import { ToolCallSteps } from './tool-call-steps.js';
import { AgentCalls } from './agent/agent-calls.service.js';
import { AgentRepeats } from './agent/agent-repeats.js';
import { AgentTools } from './agent/agent-tools.js';
import { DaemonConnection } from './daemon-connection.js';
import { ServerCredentials } from './server-credentials.js';
import { ToolRequests } from './tool-requests.service.js';
import { ToolSets } from './tools/tool-sets.service.js';
import { ToolCatalog } from './tools/tool-catalog.service.js';
import { DaemonToolsLoader } from './tools/daemon-tools-loader.js';
import { ApiConnection } from './api-connection.js';
import { CallStatesService } from './call-states.service.js';
import { ToolCapabilitiesService } from './tool-capabilities.service.js';
import { McpApprovals } from './mcp/mcp-approvals.js';
import { McpController } from './mcp/mcp.controller.js';
import { ProtectedResourceController } from './mcp/protected-resource.controller.js';
import { McpEndpoint } from './mcp/mcp-endpoint.js';
import { McpServers } from './mcp/mcp-servers.js';
import { ServiceContext } from './mcp/service-context.js';
import { McpStdio } from './mcp/mcp-stdio.js';
import { HttpController } from './transports/http.controller.js';
import { SseController } from './transports/sse.controller.js';
import { SseTransport } from './transports/sse.transport.js';
import { StreamController } from './transports/stream.controller.js';
import { StreamTransport } from './transports/stream.transport.js';
import { RpcServer } from './rpc.server.js';
import { ToolCallers } from '../common/keys/tool-callers.js';
import { ToolCallsService } from './tool-calls.service.js';
import { makeServiceTools } from './tools/service-tools.js';
import { ToolRegistry } from './tools/tool-registry.js';
import { ToolsController } from './tools.controller.js';

/**
 * The tool service: one dispatcher behind every transport, the tools it knows, and the way to the API. See
 * docs/agents.md.
 */
@Module({})
export class RpcModule {
  /** @param server the transport that Nest is connected to; the transports hand their payloads to it */
  static of(server: RpcServer): DynamicModule {
    return {
      module: RpcModule,
      imports: [ToolAdmissionsModule, ApprovalHandoverModule, ProofStateModule, WatchStateModule, ToolSetChoicesModule],
      controllers: [
        ...[HttpController, StreamController, SseController, McpController, ToolsController],
        ProtectedResourceController,
      ],
      providers: [
        { provide: RpcServer, useValue: server },
        { provide: ToolRegistry, useFactory: makeServiceTools },
        AgentCalls,
        AgentRepeats,
        AgentTools,
        ApiConnection,
        DaemonConnection,
        DaemonToolsLoader,
        ServerCredentials,
        ToolRequests,
        ToolCatalog,
        ToolSets,
        CallStatesService,
        ToolCapabilitiesService,
        McpApprovals,
        McpEndpoint,
        McpServers,
        McpStdio,
        ServiceContext,
        SseTransport,
        StreamTransport,
        ToolCallers,
        AutoSteps,
        ToolCallSteps,
        ToolCallsService,
      ],
    };
  }
}

import { Module, type DynamicModule } from '@nestjs/common';
import { ApprovalHandoverModule } from '../modules/shield/approvals/approval-handover.module.js';
import { ToolAdmissionsModule } from '../modules/shield/tool-calls/tool-admissions.module.js';
import { ApiConnection } from './api-connection.js';
import { CapabilitiesService } from './capabilities.service.js';
import { McpApprovals } from './mcp/mcp-approvals.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpEndpoint } from './mcp/mcp-endpoint.js';
import { McpServers } from './mcp/mcp-servers.js';
import { McpStdio } from './mcp/mcp-stdio.js';
import { HttpController } from './mouths/http.controller.js';
import { SseController } from './mouths/sse.controller.js';
import { SseMouth } from './mouths/sse.mouth.js';
import { StreamController } from './mouths/stream.controller.js';
import { StreamMouth } from './mouths/stream.mouth.js';
import { RpcServer } from './rpc.server.js';
import { ToolCallers } from '../common/keys/tool-callers.js';
import { ToolCallsService } from './tool-calls.service.js';
import { ToolRegistry } from './tools/tool-registry.js';
import { ToolsController } from './tools.controller.js';

/** The tool service: one dispatcher behind every mouth, the tools it knows, and the way to the API. See docs/agents.md. */
@Module({})
export class RpcModule {
  /** @param server the transport that Nest is connected to; the mouths hand their payloads to it */
  static of(server: RpcServer): DynamicModule {
    return {
      module: RpcModule,
      imports: [ToolAdmissionsModule, ApprovalHandoverModule],
      controllers: [HttpController, StreamController, SseController, McpController, ToolsController],
      providers: [
        { provide: RpcServer, useValue: server },
        { provide: ToolRegistry, useFactory: () => new ToolRegistry() },
        ApiConnection,
        CapabilitiesService,
        McpApprovals,
        McpEndpoint,
        McpServers,
        McpStdio,
        SseMouth,
        StreamMouth,
        ToolCallers,
        ToolCallsService,
      ],
    };
  }
}

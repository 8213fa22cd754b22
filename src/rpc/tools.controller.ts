import { Controller, UseFilters, UseGuards } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from '../common/contract/tool-names.js';
import type { RpcInvocation } from './json-rpc.js';
import type { AgentAnswer } from './agent/agent-answer.js';
import type { JsonText } from './json-text.js';
import type { Peer } from './peer.js';
import { RpcProblemFilter } from './rpc-problem.filter.js';
import { ToolCallerGuard } from './tool-caller.guard.js';
import { ToolCallsService } from './tool-calls.service.js';

/**
 * The methods of the tool service: every tool by its name, and the two by which MCP clients find and call them (D26).
 */
@Controller()
@UseGuards(ToolCallerGuard)
@UseFilters(RpcProblemFilter)
export class ToolsController {
  constructor(private readonly calls: ToolCallsService) {}

  @MessagePattern([...TOOL_NAMES, ...AGENT_TOOL_NAMES, ...DAEMON_TOOL_NAMES])
  call(@Payload() { method, params }: RpcInvocation, @Ctx() peer: Peer): Promise<JsonText | AgentAnswer> {
    return this.calls.call(method, params, peer);
  }

  @MessagePattern('tools/list')
  list(@Payload() { params }: RpcInvocation, @Ctx() peer: Peer): Promise<object> {
    return this.calls.list(params, peer);
  }

  @MessagePattern('tools/call')
  callNamed(@Payload() { params }: RpcInvocation, @Ctx() peer: Peer): Promise<object> {
    return this.calls.callNamed(params, peer);
  }
}

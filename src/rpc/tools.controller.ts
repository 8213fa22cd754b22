import { Controller, UseFilters, UseGuards } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOOL_NAMES } from '../common/contract/tool-names.js';
import type { RpcInvocation } from './json-rpc.js';
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

  @MessagePattern([...TOOL_NAMES])
  call(@Payload() { method, params }: RpcInvocation, @Ctx() peer: Peer): Promise<JsonText> {
    return this.calls.call(method, params, peer);
  }

  @MessagePattern('tools/list')
  list(@Ctx() peer: Peer): Promise<object> {
    return this.calls.list(peer);
  }

  @MessagePattern('tools/call')
  callNamed(@Payload() { params }: RpcInvocation, @Ctx() peer: Peer): Promise<object> {
    return this.calls.callNamed(params, peer);
  }
}

import { Body, Controller, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { InvokedTools, InvokeTools, OpenaiTools, OpenaiToolsQuery } from './openai-shim.dto.js';
import { OpenaiShimService } from './openai-shim.service.js';

const COMMON = {
  tag: 'openai',
  flag: 'openaiShim',
  extension: true,
  access: anyOf('query:read', 'admin:read', 'admin:write'),
} as const;

@Controller()
export class OpenaiShimController {
  constructor(private readonly shim: OpenaiShimService) {}

  @Route('GET /v1/openai/tools.json', {
    ...COMMON,
    summary: 'List tools as functions of OpenAI',
    description: 'The tools of the MCP listener, for programs that call models by the APIs of OpenAI.',
    reply: ok(OpenaiTools),
  })
  listOpenaiTools(@Query() query: OpenaiToolsQuery): Promise<OpenaiTools> {
    return this.shim.list(query);
  }

  @Route('POST /v1/openai/invoke', {
    ...COMMON,
    summary: 'Make the tool calls of a model',
    description:
      'Takes one call, or the message of a model with tool_calls, and answers the messages that go back. Each call is the route of its tool with the credential of this request, scopes included; what fails is answered to the model as the content of its message.',
    reply: ok(InvokedTools),
    tried: { body: { name: 'search_facts', arguments: { entity: 'user:ada' } } },
  })
  invokeTools(
    @Body() body: InvokeTools,
    @Req() request: FastifyRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<InvokedTools> {
    return this.shim.invoke(body, request, deadline);
  }
}

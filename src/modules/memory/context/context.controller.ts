import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { AssembledContext, ContextRequest } from './context.dto.js';
import { ContextService } from './context.service.js';

@Controller()
export class ContextController {
  constructor(private readonly contexts: ContextService) {}

  @Route('POST /v1/context', {
    extension: true,
    tag: 'context',
    flag: 'context',
    summary: 'Assemble a context for a task',
    description:
      'Facts, cases, engrams, open work and passages that fit the task, whole, within a budget of tokens; each with its reason, and what was left out with another.',
    access: anyOf('query:read', 'admin:read'),
    reply: ok(AssembledContext),
  })
  assembleContext(@Caller() caller: DaemonCaller, @Body() body: ContextRequest): Promise<AssembledContext> {
    return this.contexts.assemble(caller, body);
  }
}

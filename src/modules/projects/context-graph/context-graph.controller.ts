import { Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ProjectUnknown } from '../projects/projects.problems.js';
import { ContextGraph, ContextGraphPath, ContextGraphQuery } from './context-graph.dto.js';
import { NodeUnknown } from './context-graph.problems.js';
import { ContextGraphService } from './context-graph.service.js';

@Controller()
export class ContextGraphController {
  constructor(private readonly graph: ContextGraphService) {}

  @Route('GET /v1/projects/:id/context-graph', {
    tag: 'projects',
    summary: 'Read the context graph of a project',
    description:
      'The project with its planes, tenants, repositories, passports, layers, work, intents and facts, and on request the files and symbols of the last scan of the workspace, as nodes and edges, page by page in an order that lasts. docs/context-graph.md.',
    access: anyOf('admin:read'),
    reply: ok(ContextGraph),
    problems: [ProjectUnknown, NodeUnknown],
  })
  readContextGraph(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ContextGraphPath,
    @Query() query: ContextGraphQuery,
  ): Promise<ContextGraph> {
    return this.graph.read(caller, id, query);
  }
}

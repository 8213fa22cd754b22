import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { RouteManifest } from '../../../common/contract/route-manifest.js';
import { ToolDispatcher, type OfferedTool, type ToolOutcome } from '../../../common/contract/tool-dispatcher.js';
import { findFault } from '../../../common/http/json-body.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { daemonProblems } from '../../../common/problem/daemon-problem-form.js';
import { Problem } from '../../../common/problem/problem.js';
import { makeDaemonTools } from '../../../rpc/tools/daemon-tools.js';
import { askedOfOwnTool, DaemonToolAdmission } from './daemon-tool-admission.js';
import { scopesByTool } from './listed-tools.js';
import { callTool } from './tool-call.js';

/** The tools of the MCP listener, for what else offers them. */
@Injectable()
export class DaemonToolDispatcher extends ToolDispatcher {
  private readonly registry = makeDaemonTools();
  private readonly problems;
  private offered: readonly OfferedTool[] | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly manifest: RouteManifest,
    private readonly admission: DaemonToolAdmission,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    super();
    this.problems = daemonProblems(daemon.errorsBase);
  }

  list(): readonly OfferedTool[] {
    return (this.offered ??= this.describe());
  }

  private describe(): OfferedTool[] {
    const scopes = scopesByTool(this.registry, this.manifest.routes);
    return this.registry.tools.map(({ definition: { name, description, inputSchema, annotations } }) => ({
      ...{ name, description, parameters: inputSchema, isRead: annotations.readOnlyHint },
      scopes: scopes.get(name)!,
    }));
  }

  async call(name: string, given: Record<string, unknown>, request: FastifyRequest): Promise<ToolOutcome> {
    const tool = this.registry.find(name);
    if (!tool)
      return this.refuse(invalid('name', `names no tool: ${name.slice(0, 100)}; tools.json has them`), request);
    const fault = findFault(given, 'arguments');
    if (fault) return this.refuse(invalid(fault.path, fault.message), request);
    const asked = askedOfOwnTool(tool, given);
    try {
      await this.admission.admit(asked, request);
    } catch (error) {
      if (error instanceof Problem) return this.refuse(error, request);
      throw error;
    }
    const http = this.host.httpAdapter.getInstance<FastifyInstance>();
    const {
      content,
      structuredContent,
      isError = false,
    } = await callTool({ http, problems: this.problems }, tool, asked.args, request);
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const answer = (structuredContent ?? JSON.parse(text)) as Record<string, unknown>;
    return { isError, answer, text };
  }

  private refuse(problem: Problem, { id }: FastifyRequest): ToolOutcome {
    const answer = this.problems.bodyOf(problem, id);
    return { isError: true, answer, text: JSON.stringify(answer) };
  }
}

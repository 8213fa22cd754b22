import { Injectable } from '@nestjs/common';
import type { ListToolsResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import { invalid } from '../../common/problem/common-problems.js';
import { AgentTools } from '../agent/agent-tools.js';
import type { AgentTool } from '../agent/agent-tool.js';
import { DIGEST_META } from '../mcp/mcp-tools.js';
import { definitionDigest } from './make-tool.js';
import { DaemonToolsLoader } from './daemon-tools-loader.js';
import { ToolRegistry } from './tool-registry.js';
import { TOOL_SET_NAMES, TOOL_SETS } from '../../common/contract/tool-sets.js';
import type { Tool } from './tool.js';

/** Every tool that can be called by its name, and the sets in which they are listed (D75). */
@Injectable()
export class ToolCatalog {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly agentTools: AgentTools,
    private readonly ofDaemon: DaemonToolsLoader,
  ) {}

  async find(name: string): Promise<Tool | AgentTool | undefined> {
    return this.registry.find(name) ?? this.agentTools.find(name) ?? (await this.ofDaemon.find(name));
  }

  /** Whether it is one of the memory daemon's own. */
  isOfDaemon(tool: Tool): boolean {
    return this.ofDaemon.has(tool);
  }

  /** The daemon's own, by name. */
  daemonTools(): Promise<ToolRegistry> {
    return this.ofDaemon.load();
  }

  /** As the Model Context Protocol lists them. @throws ValidationFailed for a set that there is not */
  async list(set: string): Promise<ListToolsResult> {
    const tools = await this.toolsOf(set);
    const listed = tools.map(({ definition, digest }) => ({ ...definition, _meta: { [DIGEST_META]: digest } }));
    return {
      tools: listed as unknown as ListedTool[],
      _meta: { [DIGEST_META]: definitionDigest(tools.map(({ digest }) => digest)) },
    };
  }

  /** @throws ValidationFailed for a set that there is not */
  async definitionsOf(set: string): Promise<(Tool | AgentTool)['definition'][]> {
    return (await this.toolsOf(set)).map(({ definition }) => definition);
  }

  /**
   * @param field what named the set
   * @throws ValidationFailed for a set that there is not
   */
  async toolsOf(set: string, field = 'tool_set'): Promise<(Tool | AgentTool)[]> {
    const names = Object.hasOwn(TOOL_SETS, set) ? TOOL_SETS[set] : undefined;
    if (!names) throw invalid(field, `must be one of ${TOOL_SET_NAMES.join(', ')}`);
    const found = await Promise.all(names.map((name) => this.find(name)));
    return found.filter((tool) => tool !== undefined);
  }
}

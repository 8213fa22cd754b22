import { Injectable } from '@nestjs/common';
import { DAEMON_TOOL_NAMES } from '../../common/contract/tool-names.js';
import type { ToolRegistry } from './tool-registry.js';
import type { Tool } from './tool.js';

const NAMES: ReadonlySet<string> = new Set(DAEMON_TOOL_NAMES);

/** The daemon's own tools, for the tool service. Loaded when one is first asked for: most processes never need them. */
@Injectable()
export class DaemonToolsLoader {
  private loaded: ToolRegistry | undefined;

  async load(): Promise<ToolRegistry> {
    const { makeDaemonTools } = await import('./daemon-tools.js');
    return (this.loaded ??= makeDaemonTools());
  }

  async find(name: string): Promise<Tool | undefined> {
    return NAMES.has(name) ? (await this.load()).find(name) : undefined;
  }

  /** Whether it is one of them. */
  has(tool: Tool): boolean {
    return this.loaded?.find(tool.definition.name) === tool;
  }
}

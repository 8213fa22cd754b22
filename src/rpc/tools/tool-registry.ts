import { TOOL_NAMES } from '../../common/contract/tool-names.js';
import { RETRIEVAL_TOOLS } from '../../modules/retrieval/retrieval.rpc.js';
import { definitionDigest, makeTool } from './make-tool.js';
import type { Tool } from './tool.js';
import type { NamedToolDeclaration } from './tool-declaration.js';

export type { Tool, ToolDefinition } from './tool.js';

const DECLARED: readonly NamedToolDeclaration[] = [...RETRIEVAL_TOOLS];

/** All tools of the service: what every mouth, the capabilities and MCP print from, and what calls are read by. */
export class ToolRegistry {
  /** In the order of tenant-api.md 4.11. */
  readonly tools: readonly Tool[];
  /** `sha256:<hex>` over the RFC 8785 form of the list of all digests: changes when any definition does. */
  readonly digest: string;
  private readonly byName: ReadonlyMap<string, Tool>;

  constructor(declared: readonly NamedToolDeclaration[] = DECLARED) {
    this.tools = [...declared].sort((a, b) => TOOL_NAMES.indexOf(a.name) - TOOL_NAMES.indexOf(b.name)).map(makeTool);
    this.byName = new Map(this.tools.map((one) => [one.definition.name, one]));
    this.digest = definitionDigest(this.tools.map(({ digest }) => digest));
  }

  find(name: string): Tool | undefined {
    return this.byName.get(name);
  }
}

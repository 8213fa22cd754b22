import { definitionDigest, makeTool, type ToolOptions } from './make-tool.js';
import type { Tool } from './tool.js';
import type { NamedToolDeclaration } from '../../common/contract/tool-declaration.js';

/** All tools of a server: what every transport, the capabilities and MCP print from, and what calls are read by. */
export class ToolRegistry {
  /** In the order of their names. */
  readonly tools: readonly Tool[];
  /** `sha256:<hex>` over the RFC 8785 form of the list of all digests: changes when any definition does. */
  readonly digest: string;
  private readonly byName: ReadonlyMap<string, Tool>;

  /** @throws Error for a name that nothing declares */
  constructor(names: readonly string[], declarations: readonly NamedToolDeclaration[], options: ToolOptions) {
    const byName = new Map<string, NamedToolDeclaration>(declarations.map((declared) => [declared.name, declared]));
    this.tools = names.map((name) => {
      const declared = byName.get(name);
      if (!declared) throw new Error(`No module declares the tool ${name}`);
      return makeTool(declared, options);
    });
    this.byName = new Map(this.tools.map((one) => [one.definition.name, one]));
    this.digest = definitionDigest(this.tools.map(({ digest }) => digest));
  }

  find(name: string): Tool | undefined {
    return this.byName.get(name);
  }
}

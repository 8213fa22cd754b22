import { TOOL_NAMES } from '../../common/contract/tool-names.js';
import { AGENT_TOOLS } from '../../modules/agents/agents.rpc.js';
import { BUNDLE_TOOLS } from '../../modules/bundles/bundles.rpc.js';
import { CONTINUITY_TOOLS } from '../../modules/continuity/continuity.rpc.js';
import { ECONOMY_TOOLS } from '../../modules/economy/economy.rpc.js';
import { FEEDBACK_TOOLS } from '../../modules/feedback/feedback.rpc.js';
import { PROOF_TOOLS } from '../../modules/proofs/proofs.rpc.js';
import { RETRIEVAL_TOOLS } from '../../modules/retrieval/retrieval.rpc.js';
import { WATCH_TOOLS } from '../../modules/watches/watches.rpc.js';
import { describeCapabilities, type Capabilities, type ServedAs } from './capabilities.js';
import { definitionDigest, makeTool } from './make-tool.js';
import type { Tool } from './tool.js';
import type { NamedToolDeclaration } from './tool-declaration.js';

/** What the rooms declare; the order is that of TOOL_NAMES. */
export const DECLARED_TOOLS: readonly NamedToolDeclaration[] = [
  ...AGENT_TOOLS,
  ...RETRIEVAL_TOOLS,
  ...ECONOMY_TOOLS,
  ...BUNDLE_TOOLS,
  ...PROOF_TOOLS,
  ...CONTINUITY_TOOLS,
  ...WATCH_TOOLS,
  ...FEEDBACK_TOOLS,
];

/** All tools of the service: what every mouth, the capabilities and MCP print from, and what calls are read by. */
export class ToolRegistry {
  /** In the order of tenant-api.md 4.11. */
  readonly tools: readonly Tool[];
  /** `sha256:<hex>` over the RFC 8785 form of the list of all digests: changes when any definition does. */
  readonly digest: string;
  private readonly byName: ReadonlyMap<string, Tool>;

  constructor() {
    const byName = new Map<string, NamedToolDeclaration>(DECLARED_TOOLS.map((declared) => [declared.name, declared]));
    this.tools = TOOL_NAMES.map((name) => {
      const declared = byName.get(name);
      if (!declared) throw new Error(`No room declares the tool ${name}`);
      return makeTool(declared);
    });
    this.byName = new Map(this.tools.map((one) => [one.definition.name, one]));
    this.digest = definitionDigest(this.tools.map(({ digest }) => digest));
  }

  find(name: string): Tool | undefined {
    return this.byName.get(name);
  }

  /** The body of GET /capabilities. */
  capabilities(served: ServedAs): Capabilities {
    return describeCapabilities({ tools: this.tools, digest: this.digest }, served);
  }
}

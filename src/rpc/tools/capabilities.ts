import type { Address } from '../../common/contract/contract.js';
import { TOOL_SERVER_ID } from '../../common/call-policy/shield-pipeline.js';
import { snakeCase } from '../../common/fields/snake-case.js';
import { RPC_CODES } from '../json-rpc.js';
import type { Idempotency, ToolCredential } from '../../common/contract/tool-declaration.js';
import type { AgentTool } from '../agent/agent-tool.js';
import { definitionDigest } from './make-tool.js';
import type { Tool, ToolDefinition } from './tool.js';

/** How this service is run. */
export interface ServedAs {
  version: string;
  /** Calls a minute of one principal; 0: no limit. */
  callsPerMinute: number;
  /** Present where calls are answered over NATS. */
  natsSubject?: string;
}

/** What GET /capabilities answers: everything a program needs to call the tools. */
export interface Capabilities {
  service: typeof TOOL_SERVER_ID;
  version: string;
  protocol: 'JSON-RPC 2.0';
  /** Changes when any definition does. */
  digest: string;
  /** What the schemas of the tools are written in. */
  schemaDialect: string;
  /** Methods in addition to the tools themselves, each of which is a method by its name. */
  methods: string[];
  /** Of one principal of a tenant; 0 calls: no limit. */
  rateWindow: { calls: number; seconds: number };
  /** Where the tools can be called: method and path, command, or subject. */
  transports: string[];
  errors: { code: number; name: string }[];
  tools: ToolCapability[];
}

type ToolCapability = (ToolDefinition | AgentTool['definition']) & CallTerms;

/** How it is called, and what it calls. */
interface CallTerms {
  /**
   * `sha256:<hex>` over the RFC 8785 form of name, title, description, inputSchema, outputSchema and annotations: what
   * the shield can pin.
   */
  digest: string;
  /** The route of its server that it is a name for; the first of routes. */
  route: Address;
  /** All routes; where there are several, the arguments decide. */
  routes: Address[];
  mutating: boolean;
  /** Whether POST /rpc/public answers it. */
  public: boolean;
  credential: ToolCredential;
  idempotency: Idempotency;
}

const TRANSPORTS = ['POST /rpc', 'POST /rpc/public', 'POST /stream', 'GET /sse', 'POST /mcp', 'svc stdio'];

export const describeCapabilities = (
  tools: readonly (Tool | AgentTool)[],
  { version, callsPerMinute, natsSubject }: ServedAs,
): Capabilities => ({
  service: TOOL_SERVER_ID,
  version,
  protocol: 'JSON-RPC 2.0',
  digest: definitionDigest(tools.map((tool) => tool.digest)),
  schemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  methods: ['tools/list', 'tools/call'],
  rateWindow: { calls: callsPerMinute, seconds: 60 },
  transports: [...TRANSPORTS, ...(natsSubject === undefined ? [] : [`nats ${natsSubject}`])],
  errors: Object.entries(RPC_CODES).map(([name, code]) => ({ code, name: snakeCase(name) })),
  tools: tools.map((tool) => ('run' in tool ? capabilityOfAgentTool(tool) : capabilityOf(tool))),
});

const capabilityOf = (tool: Tool): ToolCapability => ({
  ...tool.definition,
  digest: tool.digest,
  route: tool.route,
  routes: tool.addresses.map(({ address }) => address),
  mutating: !tool.isRead,
  public: tool.isPublic,
  credential: tool.credential,
  idempotency: tool.idempotency,
});

/** Each request that it makes has a key of its own. */
function capabilityOfAgentTool({ definition, digest, routes, isRead }: AgentTool): ToolCapability {
  const addresses = routes.map((route) => route.replace(/^\w+ /, '') as Address);
  const [route] = addresses as [Address];
  const terms = { public: false, credential: 'caller', idempotency: 'none' } as const;
  return { ...definition, digest, route, routes: addresses, mutating: !isRead, ...terms };
}

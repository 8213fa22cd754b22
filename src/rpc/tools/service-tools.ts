import type { NamedToolDeclaration } from '../../common/contract/tool-declaration.js';
import { TOOL_NAMES } from '../../common/contract/tool-names.js';
import { AGENT_TOOLS } from '../../modules/access/agents/agents.tools.js';
import { BUNDLE_TOOLS } from '../../modules/economy/bundles/bundles.tools.js';
import { CONTINUITY_TOOLS } from '../../modules/continuity/sessions/continuity.tools.js';
import { ECONOMY_TOOLS } from '../../modules/economy/ledger/economy.tools.js';
import { FEEDBACK_TOOLS } from '../../modules/continuity/feedback/feedback.tools.js';
import { PROOF_TOOLS } from '../../modules/knowledge/proofs/proofs.tools.js';
import { RETRIEVAL_TOOLS } from '../../modules/knowledge/retrieval/retrieval.tools.js';
import { WATCH_TOOLS } from '../../modules/continuity/watches/watches.tools.js';
import { ToolRegistry } from './tool-registry.js';

/** The tools that the modules declare; the order is that of TOOL_NAMES. */
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

/** The tools of the tool service, in the order of tenant-api.md 4.11. */
export const makeServiceTools = (): ToolRegistry =>
  new ToolRegistry(TOOL_NAMES, DECLARED_TOOLS, { hasApprovals: true });

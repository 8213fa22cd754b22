import { DAEMON_TOOL_NAMES } from '../../common/contract/tool-names.js';
import { INTENT_TOOLS } from '../../modules/coordination/intents/intents.tools.js';
import { CLAIM_TOOLS } from '../../modules/coordination/work/claims/claims.tools.js';
import { WORK_TOOLS } from '../../modules/coordination/work/work.tools.js';
import { PUNCHCARD_TOOLS } from '../../modules/coordination/punchcards/punchcards.tools.js';
import { OBSERVE_TOOLS } from '../../modules/governance/observe/observe.tools.js';
import { PROVENANCE_TOOLS } from '../../modules/governance/provenance/provenance.tools.js';
import { INCIDENT_TOOLS } from '../../modules/governance/incidents/incidents.tools.js';
import { RECEIPT_TOOLS } from '../../modules/evidence/receipts/receipts.tools.js';
import { CANDIDATE_TOOLS } from '../../modules/memory/candidates/candidates.tools.js';
import { CASE_TOOLS } from '../../modules/memory/cases/cases.tools.js';
import { CONTEXT_TOOLS } from '../../modules/memory/context/context.tools.js';
import { ENGRAM_TOOLS } from '../../modules/memory/engrams/engrams.tools.js';
import { FACT_TOOLS } from '../../modules/memory/facts/facts.tools.js';
import { RELATION_TOOLS } from '../../modules/memory/relations/relations.tools.js';
import { LAYER_TOOLS } from '../../modules/projects/layers/layers.tools.js';
import { PROJECT_TOOLS } from '../../modules/projects/projects/projects.tools.js';
import { CONTEXT_GRAPH_TOOLS } from '../../modules/projects/context-graph/context-graph.tools.js';
import { DOSSIER_TOOLS } from '../../modules/projects/dossiers/dossiers.tools.js';
import { STORYBOOK_TOOLS } from '../../modules/projects/storybooks/storybooks.tools.js';
import { ToolRegistry } from './tool-registry.js';

/** The tools of the daemon's MCP listener. */
export const makeDaemonTools = (): ToolRegistry =>
  new ToolRegistry(
    DAEMON_TOOL_NAMES,
    [
      ...FACT_TOOLS,
      ...RELATION_TOOLS,
      ...RECEIPT_TOOLS,
      ...INTENT_TOOLS,
      ...WORK_TOOLS,
      ...CLAIM_TOOLS,
      ...PUNCHCARD_TOOLS,
      ...OBSERVE_TOOLS,
      ...PROVENANCE_TOOLS,
      ...INCIDENT_TOOLS,
      ...CANDIDATE_TOOLS,
      ...CASE_TOOLS,
      ...CONTEXT_TOOLS,
      ...ENGRAM_TOOLS,
      ...PROJECT_TOOLS,
      ...LAYER_TOOLS,
      ...CONTEXT_GRAPH_TOOLS,
      ...STORYBOOK_TOOLS,
      ...DOSSIER_TOOLS,
    ],
    {
      hasApprovals: false,
    },
  );

import type { AgentToolName, DaemonToolName, ToolName } from './tool-names.js';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from './tool-names.js';

/** What the Model Context Protocol lists where nobody chose. */
export const DEFAULT_SET = 'default';
/** What plain JSON-RPC and GET /capabilities list where nobody chose. */
export const ALL_SET = 'all';

export type AnyToolName = ToolName | DaemonToolName | AgentToolName;

/** The tools by what they are for (D75): every one of both servers is in one of the domains. */
const DOMAINS = {
  retrieval: ['query_vault'],
  proofs: ['proof_document', 'get_proof_status', 'get_proof_chunks', 'get_proof_receipt', 'get_proofpack'],
  economy: [
    ...(['get_credit_balance', 'get_credit_escrow', 'get_economy_dashboard', 'convert_credits_to_discount'] as const),
    ...(['get_subscription_discount_preview', 'tip_platform', 'browse_bundles', 'purchase_bundle'] as const),
  ],
  continuity: ['get_journal', 'get_stale_pins', 'get_session_context'],
  watches: ['watch_answer', 'unwatch_answer', 'get_watches', 'get_watch_alerts'],
  feedback: [
    ...(['submit_feature_request', 'vote_feature_request', 'get_feature_requests'] as const),
    ...(['declare_revenue_willingness', 'submit_feedback_survey', 'respond_to_survey'] as const),
  ],
  access: ['register_agent', 'request_sponsor'],
  memory: [
    ...(['store_fact', 'search_facts', 'get_fact', 'retire_fact', 'relate', 'expand', 'extract_memories'] as const),
    ...(['list_candidates', 'decide_candidates', 'resolve_engrams', 'init_session', 'record_case'] as const),
    ...(['find_cases', 'assemble_context'] as const),
  ],
  evidence: ['record_receipt_lookup', 'verify_receipt', 'sign_content', 'verify_content'],
  work: [
    ...(['announce_intent', 'list_work', 'update_work', 'comment_work', 'list_pending_gates', 'decide_gate'] as const),
    ...(['claim_next_work', 'renew_lease', 'release_work', 'acquire_path', 'release_path'] as const),
  ],
  governance: ['open_step', 'close_step', 'open_incident'],
  projects: ['read_project', 'effective_layers', 'project_graph', 'read_storybook', 'publish_dossier'],
} satisfies Record<string, readonly (ToolName | DaemonToolName)[]>;

/** Every set there is, and the names of its tools. */
export const TOOL_SETS: Readonly<Record<string, readonly AnyToolName[]>> = {
  [DEFAULT_SET]: AGENT_TOOL_NAMES,
  [ALL_SET]: [...TOOL_NAMES, ...DAEMON_TOOL_NAMES],
  api: TOOL_NAMES,
  daemon: DAEMON_TOOL_NAMES,
  ...DOMAINS,
};

export const TOOL_SET_NAMES: readonly string[] = Object.keys(TOOL_SETS);

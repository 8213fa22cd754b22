/** The tools of the tool service, in the order of tenant-api.md 4.11. */
export const TOOL_NAMES = [
  'register_agent',
  'request_sponsor',
  'query_vault',
  'get_credit_balance',
  'get_credit_escrow',
  'get_economy_dashboard',
  'convert_credits_to_discount',
  'get_subscription_discount_preview',
  'tip_platform',
  'browse_bundles',
  'purchase_bundle',
  'proof_document',
  'get_proof_status',
  'get_proof_chunks',
  'get_proof_receipt',
  'get_proofpack',
  'get_journal',
  'get_stale_pins',
  'get_session_context',
  'watch_answer',
  'unwatch_answer',
  'get_watches',
  'get_watch_alerts',
  'submit_feature_request',
  'vote_feature_request',
  'get_feature_requests',
  'declare_revenue_willingness',
  'submit_feedback_survey',
  'respond_to_survey',
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

/** The tools of the daemon's MCP listener. */
export const DAEMON_TOOL_NAMES = [
  'store_fact',
  'search_facts',
  'get_fact',
  'retire_fact',
  'relate',
  'expand',
  'record_receipt_lookup',
  'verify_receipt',
  'announce_intent',
  'list_work',
  'update_work',
  'comment_work',
  'list_pending_gates',
  'decide_gate',
  'claim_next_work',
  'renew_lease',
  'release_work',
  'acquire_path',
  'release_path',
] as const;

export type DaemonToolName = (typeof DAEMON_TOOL_NAMES)[number];

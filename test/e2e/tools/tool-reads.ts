import type { ToolName } from '../../../src/common/contract/tool-names.js';

/** What there is to read: the tenant has data in every module, and changes since. */
export interface Given {
  agentId: string;
  answerId: string;
  jobId: string;
  receiptId: string;
  watchId: string;
  requestTitle: string;
  sessionToken: string;
}

/** One call of a tool that only reads, and the call of the API it is a name for. */
export interface Read {
  tool: ToolName;
  args: object;
  route: [method: string, path: string, body?: object];
  headers?: Record<string, string>;
  /** What its answer must hold, so that it is not equal to nothing everywhere. */
  shows: object;
  /** Members that are another each time: when it was looked, how long that took, names given to the looking. */
  differs?: string[];
}

export function readsOf(given: Given): Read[] {
  const { agentId, answerId, jobId, receiptId, watchId, requestTitle, sessionToken } = given;
  const agent = { agent_id: agentId };
  const home = `/v1/home/${agentId}`;
  return [
    {
      tool: 'request_sponsor',
      args: { session_token: sessionToken },
      route: ['GET', '/v1/agents/me/sponsor-request'],
      headers: { 'x-tenant-id': '', 'x-api-key': '', authorization: `Bearer ${sessionToken}` },
      shows: { registrationType: 'sponsored', sponsorTenantId: 'acme' },
    },
    {
      tool: 'query_vault',
      args: { ...agent, query: 'When does it open?', corpus_ids: ['vault'], limit: 2, include_commons: false },
      route: [
        'POST',
        '/v1/retrieve',
        { agentId, query: 'When does it open?', corpusIds: ['vault'], limit: 2, includeCommons: false },
      ],
      shows: { results: [{ corpusId: 'vault' }, { corpusId: 'vault' }], credit_cost: 0 },
      differs: ['tookMs'],
    },
    {
      tool: 'query_vault',
      args: { ...agent, query: 'dawn', lane: 'verified', include_commons: false },
      route: ['POST', '/v1/retrieve', { agentId, query: 'dawn', lane: 'verified', includeCommons: false }],
      shows: { results: [{ corpusId: 'vault' }, { corpusId: 'vault' }], meta: { lane: 'verified' } },
      differs: ['tookMs', 'retrievalId', 'retrievalReceiptId'],
    },
    {
      tool: 'get_credit_balance',
      args: agent,
      route: ['GET', `/v1/credits/${agentId}`],
      shows: { agentId, tier: 'team', escrow: 100 },
      differs: ['asOf'],
    },
    {
      tool: 'get_credit_escrow',
      args: { ...agent, status: 'pending', limit: 5 },
      route: ['GET', `/v1/credits/${agentId}/escrow?status=pending&limit=5`],
      shows: { escrow: 100, items: [{ credits: 100, status: 'pending' }] },
    },
    {
      tool: 'get_economy_dashboard',
      args: { ...agent, days: 7 },
      route: ['GET', `/v1/economy/dashboard/${agentId}?days=7`],
      shows: { agentId, escrow: 100, conversion: { pendingPence: 100 } },
      differs: ['asOf'],
    },
    {
      tool: 'get_subscription_discount_preview',
      args: { ...agent, credits: 250 },
      route: ['POST', '/v1/economy/convert/preview', { agentId, credits: 250 }],
      shows: { accepted: true, credits: 200, remainderCredits: 50, pence: 200 },
    },
    {
      tool: 'browse_bundles',
      args: { q: 'by DESIGN', entitled: true, limit: 1 },
      route: ['GET', '/v1/bundles?q=by%20DESIGN&entitled=true&limit=1'],
      shows: { bundles: [{ title: 'Shared by design', entitled: true }] },
    },
    {
      tool: 'get_proof_status',
      args: { job_id: jobId },
      route: ['GET', `/v1/proof/jobs/${jobId}`],
      shows: { jobId, status: 'completed', verdict: 'holds' },
    },
    {
      tool: 'get_proof_chunks',
      args: { job_id: jobId, limit: 1 },
      route: ['GET', `/v1/proof/jobs/${jobId}/chunks?limit=1`],
      shows: { jobId, chunks: [{ corpusId: 'vault' }] },
    },
    {
      tool: 'get_proof_receipt',
      args: { job_id: jobId },
      route: ['GET', `/v1/proof/jobs/${jobId}/receipt`],
      shows: { receiptId, kind: 'proof.completed' },
    },
    {
      tool: 'get_proof_receipt',
      args: { answer_id: answerId },
      route: ['GET', `/v1/proof/answers/${answerId}/receipt`],
      shows: { kind: 'answer.recorded' },
    },
    {
      tool: 'get_proofpack',
      args: { receipt_id: receiptId },
      route: ['GET', `/v1/proof/receipts/${receiptId}/proofpack`],
      shows: { ok: true, tenant_id: 'acme' },
      differs: ['made_at', 'seal'],
    },
    {
      tool: 'get_journal',
      args: { ...agent, type: 'watch_alert', order: 'oldest' },
      route: ['GET', `${home}/journal?type=watch_alert&order=oldest`],
      shows: { entries: [{ type: 'watch_alert', subject: watchId }] },
    },
    { tool: 'get_stale_pins', args: agent, route: ['GET', `${home}/stale-pins`], shows: { stale_pins: [{}] } },
    {
      tool: 'get_session_context',
      args: { ...agent, token_budget: 500 },
      route: ['GET', `${home}/session-context?token_budget=500`],
      shows: { agentId, tokenBudget: 500, stale_pins: [{}], watches: [{ watchId }] },
    },
    {
      tool: 'get_watches',
      args: { ...agent, target_type: 'document' },
      route: ['GET', `/v1/watches?agentId=${agentId}&targetType=document`],
      shows: { watches: [{ watchId, alertCount: 1 }] },
    },
    {
      tool: 'get_watch_alerts',
      args: { watch_id: watchId },
      route: ['GET', `/v1/watches/${watchId}/alerts`],
      shows: { alerts: [{ watchId, change: 'new_version', docId: 'a' }] },
    },
    {
      tool: 'get_feature_requests',
      args: { q: requestTitle, mine: true, order: 'votes' },
      route: ['GET', `/v1/feedback/requests?q=${encodeURIComponent(requestTitle)}&mine=true&order=votes`],
      shows: { requests: [{ title: requestTitle, status: 'open' }] },
    },
  ];
}

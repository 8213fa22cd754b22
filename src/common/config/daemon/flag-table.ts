import { daemonAddress, daemonFlag, daemonMode } from './flag.js';

/**
 * The feature flags of the daemon that open addresses or listeners, with what is answered while they are off
 * (memory-daemon.md 4.12; A-12: the flag is looked at before any credential). Those of planes that are not built are
 * reserved: who builds one removes the mark. The flags of the specification that only change what a plane does come
 * with that plane.
 */
export const DAEMON_FLAGS = {
  localIngest: daemonFlag('SVCD_LOCAL_INGEST', true, 404, ['/v1/local/ingest'], 'POST /v1/local/ingest.'),
  mcp: daemonFlag('SVCD_MCP_ENABLED', true, 'none', [], 'The MCP listener.'),
  console: daemonFlag('SVCD_CONSOLE_ENABLED', true, 404, ['/console*'], 'The console.'),
  coord: daemonFlag('SVCD_COORD', true, 404, ['/v1/coord/*'], 'Live intents of agents.'),
  integrations: daemonFlag(
    'SVCD_INTEGRATIONS_ENABLED',
    true,
    404,
    ['/v1/integrations', '/v1/integrations/*'],
    'Accounts of other services: GitHub.',
  ),
  provenance: daemonFlag('SVCD_FEATURE_PROVENANCE_API', false, 404, ['/v1/provenance/*'], 'The signing gateway.'),
  context: daemonFlag('SVCD_CONTEXT_SURFACE', false, 404, ['/v1/context*'], 'The context surface.'),
  autoCapture: daemonFlag(
    'SVCD_AUTO_CAPTURE',
    false,
    404,
    ['/v1/memory/extract', '/v1/memory/candidates*'],
    'Candidates captured from text.',
  ),
  memoryImport: daemonFlag('SVC_MEMORY_IMPORT', false, 404, ['/v1/memory/import'], 'Import of memory packs.'),
  quota: daemonFlag('SVCD_QUOTA', false, 404, ['/v1/quota*'], 'Quotas by passport and surface.'),
  creditMeter: daemonFlag(
    'SVCD_CREDIT_METER',
    false,
    404,
    ['/v1/credits/spend'],
    'Spending of credits; POST /v1/compute/embed costs some.',
  ),
  identityLinks: daemonFlag(
    'SVCD_IDENTITY_LINKS',
    false,
    404,
    ['/v1/identity/links*', '/v1/identity/candidates*'],
    'Links between identities.',
  ),
  openaiShim: daemonFlag(
    'SVCD_OPENAI_SHIM',
    false,
    404,
    ['/v1/openai/tools.json', '/v1/openai/invoke'],
    'Tools in the form of OpenAI.',
  ),
  compute: daemonFlag(
    'SVCD_COMPUTE_PROVIDER',
    false,
    'by route',
    ['/v1/compute/embed'],
    'POST /v1/compute/embed gives vectors of SVC_EMBEDDINGS_URL. Off, or without that, it answers `"enabled": false`.',
  ),
  mintRequests: daemonFlag(
    'SVCD_FEATURE_PASSPORT_MINT_REQUESTS',
    false,
    404,
    ['/v1/passport/mint-requests*'],
    'Requests for passports.',
  ),
  incidents: daemonFlag('SVCD_FEATURE_INCIDENTS', false, 404, ['/v1/incidents*'], 'Incidents.'),
  legalHold: daemonFlag('SVCD_FEATURE_LEGAL_HOLD', false, 404, ['/v1/legal-holds*'], 'Legal holds.'),
  activityLog: daemonFlag('SVCD_FEATURE_ACTIVITY_LOG', false, 404, ['/v1/activity*'], 'The activity log.'),
  observe: daemonFlag('SVCD_OBSERVE', false, 'reported', ['/v1/observe/*'], 'Step-level audits of sessions.'),
  orchestrators: daemonFlag('SVCD_ORCHESTRATORS', false, 404, ['/v1/orchestrators*'], 'Orchestrators.'),
  statusFeed: daemonFlag(
    'SVCD_STATUS_FEED',
    false,
    'by route',
    ['/v1/status-feed'],
    'GET /v1/status-feed gives the events of coordination. Off, it answers `"enabled": false`.',
  ),
  punchcard: daemonMode(
    'SVCD_PUNCHCARD',
    ['off', 'advisory', 'enforce'],
    501,
    ['/v1/punchcards*'],
    'Leases of paths: `off`, `advisory` (reported, never refused) or `enforce`.',
  ),
  engine: daemonAddress(
    'SVCD_ENGINE_BASE_URL',
    404,
    ['/v1/mediation/*'],
    'The engine that drafts are passed on to; see docs/mediation.md.',
  ),
  streamReceipts: daemonFlag(
    'SVCD_STREAM_RECEIPTS',
    false,
    'by route',
    ['/v1/mediation/drafts'],
    'Drafts of the kinds stream and context are passed on to the engine. Off, they are rejected.',
  ),
  usageReceipts: daemonFlag(
    'SVCD_FEATURE_USAGE_RECEIPTS',
    false,
    'by route',
    ['/v1/mediation/drafts'],
    'Drafts of the kind usage_ping are passed on to the engine. Off, they are rejected.',
  ),
  gpu: daemonAddress(
    'SVCD_GPU1_BASE_URL',
    'by route',
    ['/v1/gpu1/*'],
    'The endpoint that the routes of the build feature hosted-surfaces pass on to. Unset, they answer `"endpoint_configured": false`.',
  ),
  forceSeal: daemonFlag('SVCD_ADMIN_FORCE_SEAL', false, 404, ['/v1/admin/force-seal'], 'Sealing on demand.'),
  costLens: daemonFlag('SVCD_FEATURE_COST_LENS', false, 404, ['/v1/cost/*'], 'Cost reports.'),
};

/** The members of {@link DAEMON_FLAGS}. */
export type DaemonFlagName = keyof typeof DAEMON_FLAGS;

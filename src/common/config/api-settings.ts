import { flag, integer, networks, setting, text, textOr, url } from './setting.js';

/** The settings of the tenant API, a group of the table in settings.ts. */
export const API_SETTINGS = {
  host: setting('SVC_API_HOST', textOr('127.0.0.1'), 'Address the tenant API binds.'),
  port: setting('SVC_API_PORT', integer(8090, 0, 65535), 'Port of the tenant API; 0 takes a free one.'),
  processes: setting('SVC_API_PROCESSES', integer(1, 1, 64), 'API processes that share the port under `svc start`.'),
  allowLegacyTenantFields: setting(
    'ALLOW_LEGACY_TENANT_FIELDS',
    flag(false),
    'Outside production: a request may leave out x-tenant-id when its body or query carries the tenant.',
  ),
  sessionSecret: setting(
    'SVC_SESSION_SECRET',
    text(32),
    'Signs session cookies and the bearers of agents, at least 32 characters; the same for every process.',
    { secret: true, shownDefault: 'generated and kept in the database', requiredInProduction: true },
  ),
  trustedProxies: setting(
    'SVC_TRUSTED_PROXIES',
    networks(),
    'Addresses or CIDR ranges of the proxies in front, separated by commas, whose X-Forwarded-For is trusted. Unset: none.',
  ),
  requestTimeoutMs: setting(
    'SVC_REQUEST_TIMEOUT_MS',
    integer(30_000, 100, 600_000),
    'Longest time a request may take to arrive, in milliseconds.',
  ),
  maxBodyBytes: setting(
    'SVC_MAX_BODY_BYTES',
    integer(8 * 1024 * 1024, 1024, 1024 ** 3),
    'Largest request body of a route that names no other bound, in bytes.',
  ),
  maxFileMib: setting(
    'SVC_MAX_FILE_MIB',
    integer(32, 1, 512),
    'Largest file that POST /v1/ingest/file takes, in MiB; 413 beyond. Less than SVC_MAX_INFLIGHT_BODY_MIB.',
  ),
  proofUpstreamUrl: setting(
    'SVC_PROOF_UPSTREAM_URL',
    url('http', 'https'),
    'Another server that answers the proof routes instead of the built-in evidence engine.',
  ),
  proofUpstreamTenantId: setting('SVC_PROOF_UPSTREAM_TENANT_ID', text(), 'The x-tenant-id sent to the proof upstream.'),
  proofUpstreamApiKey: setting('SVC_PROOF_UPSTREAM_API_KEY', text(), 'The x-api-key sent to the proof upstream.', {
    secret: true,
  }),
  proofUpstreamTimeoutMs: setting(
    'SVC_PROOF_UPSTREAM_TIMEOUT_MS',
    integer(10_000, 50, 120_000),
    'How long the proof upstream may take for one answer, in milliseconds.',
  ),
};

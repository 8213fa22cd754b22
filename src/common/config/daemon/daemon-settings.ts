import { quotaSurfaces } from './quota-surfaces.js';
import { z } from 'zod';
import {
  choice,
  decimal,
  flag,
  integer,
  networks,
  optionalInteger,
  setting,
  tenantName,
  text,
  textOr,
  url,
} from '../setting.js';
import { parseNetworks } from '../../http/client-address.js';
import { PRO_SERVICES } from '../../contract/scopes.js';
import { AUTH_MODES, authModeOf } from './auth-mode.js';
import { strictSwitch, switchSetting } from './flag.js';

export const ROUTE_AUTH_MODES = ['off', 'shadow', 'enforce'] as const;
export type RouteAuthMode = (typeof ROUTE_AUTH_MODES)[number];
const isRouteAuthMode = (value: unknown): value is RouteAuthMode => ROUTE_AUTH_MODES.includes(value as RouteAuthMode);

const port = (fallback: number) => integer(fallback, 0, 65535);
const LOOPBACK = '127.0.0.0/8, ::1/128';

/** The settings of the memory daemon, a group of the table in settings.ts (memory-daemon.md 1, 5, 8). */
export const DAEMON_SETTINGS = {
  httpHost: setting('SVCD_HTTP_HOST', textOr('127.0.0.1'), 'Address the daemon binds for HTTP.'),
  httpPort: setting('SVCD_HTTP_PORT', port(14800), 'Its port for HTTP; 0 takes a free one.'),
  mcpHost: setting('SVCD_MCP_HOST', textOr('127.0.0.1'), 'Address the daemon binds for MCP.'),
  mcpPort: setting('SVCD_MCP_PORT', port(14801), 'Its port for MCP (POST /mcp); 0 takes a free one.'),
  mcpPublicUrl: setting(
    'SVCD_MCP_PUBLIC_URL',
    url('http', 'https'),
    'The address under which clients reach the daemon for MCP, without /mcp.',
    { shownDefault: 'the bind address' },
  ),
  grpcHost: setting('SVCD_GRPC_HOST', textOr('127.0.0.1'), 'Address the daemon binds for gRPC.'),
  grpcPort: setting('SVCD_GRPC_PORT', port(4007), 'Its port for gRPC; 0 takes a free one.'),
  authMode: setting(
    'SVCD_AUTH_MODE',
    z.preprocess(
      (value) => (typeof value === 'string' && value !== '' ? (authModeOf(value) ?? value) : undefined),
      z.enum(AUTH_MODES, `expected one of ${AUTH_MODES.join(', ')}`).optional(),
    ),
    `How callers are known: ${AUTH_MODES.join(', ')}. There is no default: the daemon does not start without it.`,
    { shownDefault: 'none; `npm start` sets `dev_scopes`' },
  ),
  routeAuth: setting(
    'SVCD_ROUTE_AUTH',
    z.preprocess((value) => (isRouteAuthMode(value) ? value : 'shadow'), z.enum(ROUTE_AUTH_MODES)),
    'The layer that decides by route class: `off`, `shadow` (logs what it would refuse) or `enforce`. Any other value is `shadow`.',
    { words: ROUTE_AUTH_MODES },
  ),
  jwtSecret: setting(
    'SVCD_JWT_HS256_SECRET',
    text(32),
    'Signs and verifies tokens in jwt_hs256, at least 32 characters. In that mode it is required with NODE_ENV=production.',
    {
      secret: true,
      shownDefault: 'daemon_jwt_secret of credentials.json',
      requiredInProduction: ({ SVCD_AUTH_MODE: mode }) => authModeOf(mode ?? '') === 'jwt_hs256',
    },
  ),
  jwtIssuer: setting('SVCD_JWT_ISS', text(), 'The issuer (iss) that tokens must name. Unset: any.', {
    shownDefault: 'that of the discovery document, else any',
  }),
  jwtAudience: setting('SVCD_JWT_AUD', text(), 'The audience (aud) that tokens must be for. Unset: any.'),
  jwtDefaultTenant: setting(
    'SVCD_JWT_DEFAULT_TENANT',
    tenantName(),
    'The tenant of tokens that name none, as if they had it as their tenant_id. Unset: they work in no tenant.',
  ),
  jwtCreateTenants: strictSwitch(
    'SVCD_JWT_CREATE_TENANTS',
    'With `1` a token may write in a tenant that nobody created: the first write registers it, as in off and dev_scopes.',
  ),
  jwksUrl: setting('SVCD_JWT_JWKS_URL', url('http', 'https'), 'The JWK Set with the keys of jwt_jwks.'),
  oidcDiscoveryUrl: setting(
    'SVCD_JWT_OIDC_DISCOVERY_URL',
    url('http', 'https'),
    'The OpenID Provider, or its /.well-known/openid-configuration, that names the JWK Set of jwt_jwks.',
  ),
  jwksCooldownSeconds: setting(
    'SVCD_JWT_JWKS_COOLDOWN_SECS',
    integer(5, 0, 3600),
    'Least time between two looks at the JWK Set for keys that are not known, in seconds.',
  ),
  allowInsecureDevAuthBind: strictSwitch(
    'SVCD_ALLOW_INSECURE_DEV_AUTH_BIND',
    'With `1` the modes off and dev_scopes may be bound to an address that is not loopback.',
  ),
  maxBodyBytes: setting(
    'SVCD_MAX_REQUEST_BODY_BYTES',
    integer(16 * 1024 * 1024, 0, 1024 ** 3),
    'Largest request body of a route that names no other bound, in bytes; 0 sets none.',
  ),
  maxInflight: setting(
    'SVCD_MAX_INFLIGHT',
    integer(1024, 0, 1_000_000),
    'Requests the daemon works on at once; more are answered 503. 0 sets no bound.',
  ),
  rateLimitRps: setting(
    'SVCD_RATE_LIMIT_RPS',
    integer(300, 0, 1_000_000),
    'Requests a second that one client address may make; more are answered 429. 0 sets no limit.',
  ),
  rateLimitBurst: setting(
    'SVCD_RATE_LIMIT_BURST',
    integer(600, 0, 10_000_000),
    'Requests a client address may make at once after a pause; never less than the rate.',
  ),
  rateLimitExempt: setting(
    'SVCD_RATE_LIMIT_EXEMPT_CIDRS',
    z
      .string()
      .default(LOOPBACK)
      .transform((list, context) => {
        try {
          return parseNetworks(list);
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message });
          return z.NEVER;
        }
      }),
    'Addresses or CIDR ranges, separated by commas, that no rate limit holds for; an empty value exempts none.',
    { shownDefault: `\`${LOOPBACK}\`` },
  ),
  trustedProxies: setting(
    'SVCD_TRUSTED_PROXY_CIDRS',
    networks(),
    'Addresses or CIDR ranges of the proxies in front, separated by commas, whose X-Forwarded-For and Forwarded are trusted. Unset: none.',
  ),
  drainSeconds: setting(
    'SVCD_SHUTDOWN_DRAIN_SECS',
    integer(30, 0, 600),
    'How long a stopping daemon waits for requests in flight, in seconds.',
  ),
  execplansRoot: setting(
    'SVC_EXECPLANS_ROOT',
    text(),
    'Folder of plan files: the check-lists of the Markdown files below it are work of `GET /v1/work?source=plans`. Unset: there are none.',
    { names: 'folder' },
  ),
  layersRoot: setting(
    'SVCD_LAYERS_ROOT',
    text(),
    'Folder that `POST /v1/projects/{id}/planes/sync-layers` reads files below. Unset: it reads none.',
    { names: 'folder' },
  ),
  workspaceRoot: setting(
    'SVCD_WORKSPACE_ROOT',
    text(),
    'Folder that `POST /v1/workspace/scan` looks through for files and symbols; the processes that work on jobs (SVC_JOBS) read it. Unset: nothing is scanned.',
    { names: 'folder' },
  ),
  githubApiUrl: setting(
    'SVCD_GITHUB_API_URL',
    url('http', 'https').transform((address) => address?.replace(/\/+$/, '') ?? 'https://api.github.com'),
    'The REST API of GitHub that tokens are checked with; of GitHub Enterprise Server `https://<host>/api/v3`.',
    { shownDefault: '`https://api.github.com`' },
  ),
  studioDir: setting(
    'SVCD_STUDIO_DIR',
    text(),
    'Folder of further packages of the studio library, `<id>/package.yaml`; see docs/studio.md. Unset: those that come with svc.',
    { names: 'folder' },
  ),
  errorsBase: setting(
    'SVCD_ERRORS_BASE',
    textOr('urn:svc:errors').transform((base) => base.replace(/\/+$/, '')),
    'What the type of a problem begins with: `<base>/<slug>`.',
  ),
  publicProbesMinimal: strictSwitch(
    'SVCD_PUBLIC_PROBES_MINIMAL',
    'With `1` the probes say only whether the daemon is ready, not which gate fails.',
  ),
  minFreeRatio: setting(
    'SVCD_DATA_DIR_MIN_FREE_RATIO',
    decimal(0.1, 0, 1),
    'Free share of the file system of the data directory below which the daemon is not ready.',
  ),
  commitMode: setting(
    'SVCD_COMMIT_MODE',
    choice(['local', 'replicated'], 'local'),
    '`replicated`: the daemon is ready only over a PostgreSQL that commits to a synchronous standby.',
  ),
  shardMapFile: setting(
    'SVCD_SHARD_MAP_FILE',
    text(),
    'JSON file that maps tenants to shards; see docs/readiness.md. Unset: one shard for all.',
    { names: 'file' },
  ),
  readRetryThreshold: setting(
    'SVCD_READ_RETRY_THRESHOLD',
    integer(20, 1, 1_000_000),
    'Reads that had to be tried again within SVCD_READ_RETRY_WINDOW_SECS above which the daemon is not ready.',
  ),
  readRetryWindowSeconds: setting(
    'SVCD_READ_RETRY_WINDOW_SECS',
    integer(60, 1, 3600),
    'The time over which reads that had to be tried again are counted, in seconds.',
  ),
  consoleOrigins: setting(
    'SVCD_CONSOLE_ALLOWED_ORIGINS',
    text(),
    'Origins that may read the console from another page, separated by commas; what is no http(s) origin (`*`, `null`) is dropped.',
    { shownDefault: 'loopback on SVCD_HTTP_PORT' },
  ),
  consoleDir: setting(
    'SVCD_CONSOLE_DIR',
    text(),
    'Folder of the built console: index.html, favicon.svg and assets. Read when the daemon starts.',
    { names: 'folder', shownDefault: '`dist/console`, which the build makes' },
  ),
  consoleSession: switchSetting(
    'SVCD_CONSOLE_SESSION',
    true,
    'A request without another credential that bears the cookie of a session of the tenant API is let in by it, with the scopes of its seat and in its tenant alone.',
  ),
  tenantKeys: switchSetting(
    'SVCD_TENANT_KEYS',
    true,
    'A request without another credential that bears x-tenant-id and x-api-key of the tenant API, or the session token of an agent, is let in by it, with the scopes of its role and in its tenant alone.',
  ),
  consoleOidcClientId: setting(
    'SVCD_CONSOLE_OIDC_CLIENT_ID',
    text(),
    'The client that the console signs in as at the identity provider of jwt_jwks, a public one with PKCE. Unset: the console offers no such sign-in.',
  ),
  consoleOidcScope: setting(
    'SVCD_CONSOLE_OIDC_SCOPE',
    textOr('openid'),
    'The scopes that the console asks the identity provider for, separated by blanks.',
  ),
  observeRedact: setting(
    'SVCD_OBSERVE_REDACT',
    choice(['audit', 'strict', 'off'], 'audit'),
    'What is kept of the texts of observed steps: `audit` (secrets and personal data masked), `strict` (digests alone) or `off` (all of it; in the modes off and dev_scopes alone).',
  ),
  observeRetentionDays: setting(
    'SVCD_OBS_RETENTION_DAYS',
    optionalInteger(1, 36_500),
    'After so many days without a step a session is archived: what was in its steps is removed, every hour. Unset: never.',
  ),
  retentionDays: setting(
    'SVCD_RETENTION_DAYS',
    optionalInteger(1, 36_500),
    'POST /v1/admin/compact-facts also removes versions of facts that were retired so many days ago. Unset: only what is deleted.',
  ),
  ephemeralGc: switchSetting(
    'SVCD_EPHEMERAL_GC',
    false,
    'Of one passport the 32 sessions that announced last stay announced (POST /v1/coord/announce); those before them end.',
  ),
  proServices: setting(
    'SVCD_ENABLED_PRO_SERVICES',
    z.preprocess(
      (value) => (typeof value === 'string' ? value.split(/[\s,]+/).filter((name) => name !== '') : []),
      z.array(z.enum(PRO_SERVICES, `expected some of ${PRO_SERVICES.join(', ')}`)),
    ),
    'The services of the workbench that are enabled, separated by commas or blanks; the routes of the others answer 402. See docs/workbench.md.',
    { shownDefault: 'none' },
  ),
  handoffObservations: setting(
    'SVCD_HANDOFF_OBSERVATIONS',
    flag(false),
    'A handoff of the workbench leaves a step in the observed session that it is of.',
  ),
  platformKeysFile: setting(
    'SVCD_PLATFORM_KEYS_FILE',
    text(),
    'JWK Set (RFC 7517) of the Ed25519 keys whose signatures on result envelopes are accepted. Unset: none.',
  ),
  quotaSurfaces: setting(
    'SVCD_QUOTA_HOSTED_SURFACES',
    quotaSurfaces(),
    'With SVCD_QUOTA=1, what passports have a quota of: `surface:requests/seconds`, separated by commas, a surface being the first segment of addresses below /v1 (`context:100/60,compute`). Without numbers 600 in 60 seconds. What is not listed is unlimited.',
  ),
  pricesFile: setting(
    'SVCD_PRICES_FILE',
    text(),
    'YAML or JSON file of what models cost, for the reports of SVCD_FEATURE_COST_LENS; see docs/cost.md. Unset: reports have tokens and no money.',
  ),
  provenanceTrustRootsFile: setting(
    'SVCD_PROVENANCE_TRUST_ROOTS_FILE',
    text(),
    'Certificates in PEM form that the chain of a provenance envelope must lead to for it to be trusted. Unset: none is.',
  ),
};

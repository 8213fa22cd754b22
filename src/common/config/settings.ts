import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../user-error.js';
import {
  choice,
  databaseSetting,
  flag,
  headerKey,
  hostNames,
  integer,
  natsAddress,
  networks,
  optionalInteger,
  secondsList,
  setting,
  streamNameOr,
  tenantNameOr,
  text,
  textOr,
  type Setting,
  url,
} from './setting.js';
import { findBodyFaults } from './body-bounds.js';
import { EVIDENCE_SETTINGS } from './evidence-settings.js';
import { INGEST_SETTINGS } from './ingest-settings.js';
import { findPortClashes } from './wanted-ports.js';
import { memoryShareMib } from './memory-share.js';
import { RETRIEVAL_SETTINGS } from './retrieval-settings.js';
import { DAEMON_SETTINGS } from './daemon/daemon-settings.js';
import { MEMORY_SETTINGS } from './daemon/memory-settings.js';
import { EXTENSION_SETTINGS } from './daemon/extension-settings.js';
import { UPSTREAM_SETTINGS } from './daemon/upstream-settings.js';
import { SYNC_SETTINGS } from './daemon/sync-settings.js';
import { DAEMON_FLAGS } from './daemon/flag-table.js';
import { TOOLS_SETTINGS } from './tools-settings.js';
import { OIDC_SETTINGS } from './oidc-settings.js';
import { PEOPLE_SETTINGS } from './people-settings.js';
import { TRACING_SETTINGS } from './tracing-settings.js';

export const SETTINGS = Symbol('settings');

/**
 * Every environment variable the product reads, by group. `docs/env.md` and `.env.example` are printed from this table.
 */
export const SETTING_TABLE = {
  process: {
    nodeEnv: setting(
      'NODE_ENV',
      textOr('development'),
      'With `production` no secret is generated: a missing one stops the start.',
    ),
    dataDir: setting(
      'SVC_DATA_DIR',
      textOr('./.svc'),
      'Directory for the embedded database, the signing keys and credentials.json.',
    ),
    logLevel: setting(
      'SVC_LOG_LEVEL',
      choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
      'Least level that is logged (JSON lines on stdout).',
    ),
    shutdownDelaySeconds: setting(
      'SVC_SHUTDOWN_DELAY_SECS',
      optionalInteger(0, 300),
      'How long a stopping process goes on answering before it closes its ports, in seconds: /readyz is 503 and answers carry `connection: close`, so that balancers and clients turn elsewhere.',
      { shownDefault: '`5` with NODE_ENV=production, else `0`' },
    ),
    drainSeconds: setting(
      'SVC_SHUTDOWN_DRAIN_SECS',
      integer(30, 0, 600),
      'How long a stopping process waits for requests in flight and jobs in progress, in seconds.',
    ),
    maxInflightBodyMib: setting(
      'SVC_MAX_INFLIGHT_BODY_MIB',
      integer(256, 1, 65_536),
      'Request bodies a process holds at once, in MiB; a request whose body passes it is answered 503. No less than the largest body by SVC_MAX_BODY_BYTES, SVC_MAX_FILE_MIB (and 1 MiB for its form), SVC_TOOLS_MAX_BODY_BYTES and SVCD_MAX_REQUEST_BODY_BYTES; routes with larger bounds of their own take no more than this.',
    ),
    cacheMib: setting(
      'SVC_CACHE_MIB',
      integer(memoryShareMib(1 / 16, 256, 1024), 1, 1_048_576),
      'Memory that all caches of a process hold at once, in MiB: index, vectors, contexts. What does not fit is read from the database again.',
      { shownDefault: 'a sixteenth of the memory, 256 to 1024' },
    ),
    publicUrl: setting(
      'SVC_PUBLIC_URL',
      url('http', 'https'),
      'The address under which clients reach the API, for links in answers.',
      { shownDefault: 'the bind address' },
    ),
    consoleUrl: setting(
      'SVC_CONSOLE_URL',
      url('http', 'https'),
      'The address under which people open the console, for links in messages.',
      { shownDefault: '/console at the bind address of the daemon' },
    ),
    allowedHosts: setting(
      'SVC_ALLOWED_HOSTS',
      hostNames(),
      'Further host names of this server, separated by commas. Every listener that is bound to loopback answers to them, to those of loopback, SVC_PUBLIC_URL, SVC_TOOLS_PUBLIC_URL and SVC_API_URL, and to no other. If set, it applies to listeners bound to other addresses too.',
    ),
  },
  api: {
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
      z.preprocess((v) => (v === '' ? undefined : v), z.string().min(32).optional()),
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
    proofUpstreamTenantId: setting(
      'SVC_PROOF_UPSTREAM_TENANT_ID',
      text(),
      'The x-tenant-id sent to the proof upstream.',
    ),
    proofUpstreamApiKey: setting('SVC_PROOF_UPSTREAM_API_KEY', text(), 'The x-api-key sent to the proof upstream.', {
      secret: true,
    }),
    proofUpstreamTimeoutMs: setting(
      'SVC_PROOF_UPSTREAM_TIMEOUT_MS',
      integer(10_000, 50, 120_000),
      'How long the proof upstream may take for one answer, in milliseconds.',
    ),
  },
  tools: TOOLS_SETTINGS,
  oidc: OIDC_SETTINGS,
  people: PEOPLE_SETTINGS,
  daemon: DAEMON_SETTINGS,
  memory: MEMORY_SETTINGS,
  sync: SYNC_SETTINGS,
  extensions: EXTENSION_SETTINGS,
  upstreams: UPSTREAM_SETTINGS,
  flags: DAEMON_FLAGS,
  tracing: TRACING_SETTINGS,
  hook: {
    token: setting(
      'SVC_HOOK_TOKEN',
      text(),
      'The token that `svc hook` sends to the memory daemon; without it that of the file which svc.tokenFile of git config names.',
      { secret: true },
    ),
  },
  ingest: INGEST_SETTINGS,
  database: {
    url: databaseSetting(
      'SVC_DATABASE_URL',
      'The PostgreSQL (15 or newer) to use, as its owner, who migrates it. Unset, and the next two too: an embedded PostgreSQL in the data directory.',
    ),
    appUrl: databaseSetting(
      'SVC_DATABASE_APP_URL',
      'The same database with the login svc_app, which the application works as.',
      { shownDefault: "SVC_DATABASE_URL with that login and a password derived from the owner's" },
    ),
    operatorUrl: databaseSetting(
      'SVC_DATABASE_OPERATOR_URL',
      'The same database with the login svc_operator, for work across tenants. With these two and without SVC_DATABASE_URL a process serves and does not migrate.',
      { shownDefault: "SVC_DATABASE_URL with that login and a password derived from the owner's" },
    ),
    sessionUrl: databaseSetting(
      'SVC_DATABASE_SESSION_URL',
      'Where the two addresses above lead through a pooler in transaction mode: an address that keeps sessions, for LISTEN. Its login is not used.',
    ),
    readUrl: databaseSetting(
      'SVC_DATABASE_READ_URL',
      'A streaming standby of the same database, which answers what only reads once it has all that was acknowledged (docs/fleet.md). One server, not through a pooler in transaction mode. Its login is not used.',
    ),
    readWaitMs: setting(
      'SVC_DATABASE_READ_WAIT_MS',
      integer(100, 0, 10_000),
      'How long a read waits for the standby to have replayed what was acknowledged before the primary is asked, in milliseconds.',
    ),
    poolSize: setting('SVC_DATABASE_POOL_SIZE', integer(14, 2, 500), 'Connections a process keeps for tenant work.'),
    operatorPoolSize: setting(
      'SVC_DATABASE_OPERATOR_POOL_SIZE',
      integer(4, 1, 100),
      'Connections a process keeps for cross-tenant work and the job queue.',
    ),
    statementTimeoutMs: setting(
      'SVC_DATABASE_STATEMENT_TIMEOUT_MS',
      integer(30_000, 100, 3_600_000),
      'A statement that runs longer is cancelled, in milliseconds.',
    ),
    connectTimeoutMs: setting(
      'SVC_DATABASE_CONNECT_TIMEOUT_MS',
      integer(3_000, 100, 60_000),
      'How long a request waits for a connection before it answers 503, in milliseconds; a write that waits its turn behind others that end, five times as long.',
    ),
  },
  bootstrap: {
    tenantId: setting('SVC_BOOTSTRAP_TENANT_ID', tenantNameOr('default'), 'The tenant made on an empty database.'),
    apiKey: setting(
      'SVC_BOOTSTRAP_API_KEY',
      headerKey(8),
      'The first API key of that tenant, at least 8 characters of visible ASCII; with NODE_ENV=production at least 32.',
      {
        secret: true,
        minCharactersInProduction: 32,
        shownDefault: 'generated and kept in credentials.json',
        requiredInProduction: true,
      },
    ),
    tier: setting('SVC_BOOTSTRAP_TIER', choice(['free', 'starter', 'pro', 'team'], 'team'), 'Tier of that tenant.'),
  },
  evidence: EVIDENCE_SETTINGS,
  retrieval: RETRIEVAL_SETTINGS,
  jobs: {
    enabled: setting('SVC_JOBS', flag(true), 'Whether this process works on background jobs (ingest, merges, proofs).'),
    workerThreads: setting(
      'SVC_WORKER_THREADS',
      integer(Math.max(1, Math.min(4, availableParallelism() - 1)), 1, 64),
      'Threads for chunking, indexing and merging.',
      { shownDefault: 'cores - 1, at most 4' },
    ),
    ingestConcurrency: setting(
      'SVC_INGEST_CONCURRENCY',
      // While one batch waits for the database another is analysed.
      integer(2, 1, 32),
      'Batches of ingest jobs that one process works on at once.',
    ),
  },
  agents: {
    creditBudget: setting(
      'SVC_SELF_SIGNUP_CREDITS',
      integer(500, 0, 1_000_000_000),
      'Credits an agent that registers itself may spend before it is sponsored; they are not renewed.',
    ),
    dailyQueries: setting(
      'SVC_SELF_SIGNUP_DAILY_QUERIES',
      integer(20, 1, 1_000_000_000),
      'Queries a day (UTC) such an agent may make.',
    ),
    registrationsPerAddress: setting(
      'SVC_SELF_SIGNUP_PER_ADDRESS',
      integer(60, 1, 1_000_000),
      'Agents that may register themselves from one client address before it has to wait, from one minute up to an hour; reset after an hour without one.',
    ),
    upgradeUrl: setting('SVC_UPGRADE_URL', url('http', 'https'), 'Where an agent or tenant without credits is sent.', {
      shownDefault: 'the access request page of this server',
    }),
  },
  economy: {
    paymentWebhookSecret: setting(
      'SVC_PAYMENT_WEBHOOK_SECRET',
      z.preprocess((v) => (v === '' ? undefined : v), z.string().min(16).optional()),
      'Verifies x-payment-signature, at least 16 characters. Where there is none, as with NODE_ENV=production and this unset, credits are not converted (412) and every delivery is refused.',
      { secret: true, shownDefault: 'payment_webhook_secret of credentials.json' },
    ),
  },
  feedback: {
    surveysDir: setting(
      'SVC_SURVEYS_DIR',
      text(),
      'Folder of the surveys that tenants are asked, one YAML file each; see docs/feedback.md.',
      { names: 'folder', shownDefault: 'the two surveys that come with svc' },
    ),
  },
  mail: {
    smtpUrl: setting(
      'SVC_SMTP_URL',
      url('smtp', 'smtps'),
      'smtp:// or smtps:// server through which invitations are sent. Unset: no mail is sent; the links are in the answers.',
      { secret: true },
    ),
    from: setting('SVC_MAIL_FROM', textOr('svc <no-reply@localhost>'), 'Sender of the mails.'),
  },
  outbox: {
    natsUrl: setting(
      'SVC_NATS_URL',
      natsAddress(),
      'NATS server with JetStream that every event is published to. Unset: none.',
      { secret: true },
    ),
    natsStream: setting(
      'SVC_NATS_STREAM',
      streamNameOr('SVC_EVENTS'),
      'The JetStream stream; made when it is not there.',
    ),
    allowPrivateTargets: setting(
      'SVC_WEBHOOK_PRIVATE_TARGETS',
      flag(false),
      'Webhooks may call loopback and private addresses, and plain http. Always allowed outside production.',
    ),
    webhookRetrySeconds: setting(
      'SVC_WEBHOOK_RETRY_SECONDS',
      secondsList('5,30,120,600,3600,21600'),
      'How long after each failed attempt a webhook is tried again, in seconds, separated by commas; a fifth of it more or less by chance. After the last it is dead.',
    ),
    webhookTimeoutMs: setting(
      'SVC_WEBHOOK_TIMEOUT_MS',
      integer(10_000, 100, 60_000),
      'How long a webhook endpoint may take to answer, in milliseconds.',
    ),
    retentionDays: setting(
      'SVC_EVENT_RETENTION_DAYS',
      integer(30, 1, 3650),
      'How long events and finished webhook deliveries are kept, in days. An event that was not yet published stays.',
    ),
  },
  shield: {
    decisionRetentionDays: setting(
      'SVC_DECISION_RETENTION_DAYS',
      integer(90, 1, 36_500),
      'How long shield decisions that allowed a call are kept, in days. Refusals, those kept for review and those that used an approval stay.',
    ),
  },
  features: {
    selfSignup: setting('FEATURE_SELF_SIGNUP', flag(false), 'Agents may register themselves.'),
    continuity: setting('FEATURE_CONTINUITY', flag(true), 'Journal, stale pins and session context of agents.'),
    watches: setting('FEATURE_WATCHES', flag(true), 'Watches and their alerts.'),
    proofs: setting('FEATURE_PROOFS', flag(true), 'Proof jobs, receipts and proof packs.'),
  },
  bench: {
    url: setting(
      'SVC_BENCH_URL',
      url('http', 'https'),
      'The server that `npm run bench:quality` measures instead of a temporary one of its own.',
    ),
    tenantId: setting('SVC_BENCH_TENANT_ID', text(), 'The tenant it uses there.'),
    apiKey: setting('SVC_BENCH_API_KEY', text(), "That tenant's API key.", { secret: true }),
  },
} satisfies Record<string, Record<string, Setting>>;

type Table = typeof SETTING_TABLE;
export type Settings = {
  [G in keyof Table]: { [K in keyof Table[G]]: Table[G][K] extends Setting<infer S> ? z.output<S> : never };
} & {
  /** The variables that were given a value, be it the default. */
  readonly given: ReadonlySet<string>;
};

/** All that is wrong with the environment, reported at once. */
export class SettingsInvalid extends UserError {
  constructor(readonly faults: string[]) {
    super(`The settings are not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}\nSee docs/env.md.`);
  }
}

/**
 * Reads and validates every setting.
 * @throws SettingsInvalid naming every error; the value of a secret is never repeated.
 */
export function loadSettings(environment: Record<string, string | undefined> = process.env): Settings {
  const faults: string[] = [];
  const production = environment.NODE_ENV === 'production';
  const settings = Object.fromEntries(
    Object.entries(SETTING_TABLE).map(([group, members]) => [
      group,
      Object.fromEntries(
        Object.entries(members).map(([name, one]) => [name, readOne(one as Setting, environment, production, faults)]),
      ),
    ]),
  ) as unknown as Settings;
  if (faults.length === 0) faults.push(...findPortClashes(settings), ...findBodyFaults(settings));
  if (faults.length > 0) throw new SettingsInvalid(faults);
  settings.process.dataDir = resolve(settings.process.dataDir);
  return { ...settings, given: new Set(Object.keys(environment).filter((name) => environment[name])) };
}

const REMEDY = 'make one with `openssl rand -base64 33`';

function readOne(
  one: Setting,
  environment: Record<string, string | undefined>,
  production: boolean,
  faults: string[],
): unknown {
  const raw = environment[one.env];
  const { requiredInProduction: required, minCharactersInProduction: least = 0 } = one;
  if (production && !raw && (required === true || required?.(environment))) {
    faults.push(`${one.env} is required with NODE_ENV=production: ${one.about}`);
    return undefined;
  }
  if (production && raw && raw.length < least) {
    faults.push(`${one.env} has fewer than the ${least} characters it needs with NODE_ENV=production: ${REMEDY}`);
    return undefined;
  }
  const parsed = one.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  // Somebody who writes a password into an address does not expect to see it again.
  const shown = one.secret || raw === undefined ? '' : ` (was ${JSON.stringify(raw.replace(/\/\/[^/]*@/, '//***@'))})`;
  faults.push(`${one.env}: ${parsed.error.issues.map((issue) => issue.message).join(', ')}${shown}`);
  return undefined;
}

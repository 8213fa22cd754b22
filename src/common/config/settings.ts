import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../user-error.js';
import { choice, flag, headerKey, integer, setting, tenantNameOr, text, textOr, url, type Setting } from './setting.js';
import { API_SETTINGS } from './api-settings.js';
import { findBodyFaults } from './body-bounds.js';
import { DATABASE_SETTINGS } from './database-settings.js';
import { EVIDENCE_SETTINGS } from './evidence-settings.js';
import { INGEST_SETTINGS } from './ingest-settings.js';
import { OUTBOX_SETTINGS } from './outbox-settings.js';
import { PROCESS_SETTINGS } from './process-settings.js';
import { findPortClashes } from './wanted-ports.js';
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
  process: PROCESS_SETTINGS,
  api: API_SETTINGS,
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
  database: DATABASE_SETTINGS,
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
      text(16),
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
  outbox: OUTBOX_SETTINGS,
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

import { DataSource } from 'typeorm';
import { existsSync, readFileSync } from 'node:fs';
import type { Settings } from '../../common/config/settings.js';
import { roleDataSource, type DatabaseAddress } from '../../common/database/connection.js';
import { UNSECURED_TABLES } from '../../common/database/unsecured-tables.js';
import { EvidenceAudit, type Audit } from '../../common/evidence/evidence-audit.js';
import { signingKeyFile } from '../../common/evidence/key-files.js';
import { SigningKey } from '../../common/evidence/signing-key.js';
import { JOBS_SCHEMA } from '../../common/jobs/jobs.js';
import { QUEUES } from '../../common/jobs/queues.js';
import { Metrics } from '../../common/observability/metrics.js';
import { CrossTenant } from '../../common/tenancy/cross-tenant.js';
import { MIGRATIONS } from '../../migrations/index.js';
import type { Check } from './check.js';
import { corruptionCheck } from './corruption.js';
import { ledgerCheck } from './ledger-check.js';

const LEAST_POSTGRESQL = 15;
const MOST_CLOCK_SKEW_MS = 2_000;
const OLDEST_JOB_MINUTES = 10;

type Ask = <Row extends object>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

export interface DatabaseChecks {
  /** In order: the first connects. */
  readonly checks: Check[];
  close(): Promise<void>;
}

/** What svc needs of its database, seen as the role svc_operator. */
export function databaseChecks(settings: Settings, address: DatabaseAddress): DatabaseChecks {
  const source = new DataSource(roleDataSource(address, 'svc_operator', settings));
  const ask: Ask = async <Row extends object>(sql: string, parameters: unknown[] = []) =>
    source.query<Row[]>(sql, parameters);
  return {
    checks: [
      reachable(source, ask),
      version(ask),
      clock(ask),
      migrations(ask),
      rowSecurity(ask),
      roles(ask),
      jobQueue(ask),
      signingKey(settings, ask),
      ledgerCheck(ask),
      corruptionCheck(ask),
      ...evidence(source),
    ],
    close: async () => {
      if (source.isInitialized) await source.destroy();
    },
  };
}

const reachable = (source: DataSource, ask: Ask): Check => ({
  name: 'database',
  isEssential: true,
  remedy:
    'Start the PostgreSQL of SVC_DATABASE_URL and check address, user and password; "svc migrate" makes the roles.',
  run: async () => {
    await source.initialize();
    const [row] = await ask<{ db: string; recovering: boolean }>(
      'select current_database() as db, pg_is_in_recovery() as recovering',
    );
    if (row?.recovering) throw new Error('the database is read-only (in recovery)');
    return `database ${row?.db} answers`;
  },
});

const version = (ask: Ask): Check => ({
  name: 'database_version',
  remedy: `Use PostgreSQL ${LEAST_POSTGRESQL} or newer.`,
  run: async () => {
    const [row] = await ask<{ version: string; major: number }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
    );
    if (!row || row.major < LEAST_POSTGRESQL) throw new Error(`PostgreSQL ${row?.version} is too old`);
    return `PostgreSQL ${row.version}`;
  },
});

const migrations = (ask: Ask): Check => ({
  name: 'migrations',
  isEssential: true,
  remedy: 'Run "svc migrate".',
  run: async () => {
    const done = new Set((await ask<{ name: string }>('select name from migration')).map(({ name }) => name));
    const missing = MIGRATIONS.map((migration) => new migration().name).filter((name) => !done.has(name));
    if (missing.length > 0) throw new Error(`not run: ${missing.join(', ')}`);
    return `${MIGRATIONS.length} migrations, all run`;
  },
});

const rowSecurity = (ask: Ask): Check => ({
  name: 'row_security',
  remedy: "For each table named, as the owner: select svc_secure_table('<table>'). Find out who changed it.",
  run: async () => {
    const open = await ask<{ relname: string }>(UNSECURED_TABLES);
    if (open.length > 0) throw new Error(`not forced on ${open.map(({ relname }) => relname).join(', ')}`);
    return 'forced, with its policy, on every table with tenant data';
  },
});

const roles = (ask: Ask): Check => ({
  name: 'roles',
  remedy: 'As a superuser: alter role svc_app nosuperuser nobypassrls (and svc_operator); take away what they own.',
  run: async () => {
    const rows = await ask<{ name: string; bypasses: boolean; owned: number }>(ROLES);
    if (rows.length < 2) throw new Error('svc_app or svc_operator is missing');
    const faults = rows.flatMap(({ name, bypasses, owned }) => [
      ...(bypasses ? [`${name} can bypass row-level security`] : []),
      ...(owned > 0 ? [`${name} owns ${owned} relations`] : []),
    ]);
    if (faults.length > 0) throw new Error(faults.join('; '));
    return 'svc_app and svc_operator own nothing and cannot bypass row-level security';
  },
});

const ROLES = `
  select r.rolname as name, r.rolsuper or r.rolbypassrls as bypasses,
    (select count(*)::int from pg_class c where c.relowner = r.oid) as owned
  from pg_roles r where r.rolname in ('svc_app', 'svc_operator') order by 1`;

const jobQueue = (ask: Ask): Check => ({
  name: 'job_queue',
  remedy: 'Run "svc migrate" for missing queues; for old jobs, see that a process with SVC_JOBS=1 runs, and its log.',
  run: async () => {
    const names = new Set(
      (await ask<{ name: string }>(`select name from ${JOBS_SCHEMA}.queue`)).map(({ name }) => name),
    );
    const missing = QUEUES.filter(({ name }) => !names.has(name)).map(({ name }) => name);
    if (missing.length > 0) throw new Error(`no queue ${missing.join(', ')}`);
    const [row] = await ask<{ waiting: number; old: number }>(JOBS);
    if (row && row.old > 0) throw new Error(`${row.old} jobs have waited for more than ${OLDEST_JOB_MINUTES} minutes`);
    return `${QUEUES.length} queues, ${row?.waiting} jobs waiting`;
  },
});

const JOBS = `
  select count(*)::int as waiting,
    count(*) filter (where start_after < now() - interval '${OLDEST_JOB_MINUTES} minutes')::int as old
  from ${JOBS_SCHEMA}.job where state in ('created', 'retry')`;

const signingKey = (settings: Settings, ask: Ask): Check => ({
  name: 'signing_key',
  remedy: 'Put the key back from a backup. A lost key cannot sign again, but what it signed stays verifiable.',
  run: async () => {
    const file = signingKeyFile(settings);
    const known = await ask<{ kid: string }>(
      'select kid from signing_key where not_after is null or not_after > now()',
    );
    if (!existsSync(file) && known.length === 0) return 'none yet; the first start makes it';
    const { kid } = SigningKey.fromPem(readFileSync(file, 'utf8'));
    if (!known.some((key) => key.kid === kid)) throw new Error(`${file} is not a key of this database (kid ${kid})`);
    return `${file}, kid ${kid}`;
  },
});

function evidence(source: DataSource): Check[] {
  const counter = new Metrics().counter(
    'svc_cross_tenant_total',
    'Units of work that could see more than one tenant.',
    ['reason'],
  );
  const audit = new EvidenceAudit(new CrossTenant(source, counter));
  const remedy = 'Stop svc, keep the database as it is for examination, and restore the last backup that verifies.';
  return [
    { name: 'receipt_chain', remedy, run: async () => tell(await audit.verifyChain(), 'receipts') },
    { name: 'transparency_log', remedy, run: async () => tell(await audit.verifyLog(), 'leaves') },
  ];
}

function tell({ ok, examined, faults }: Audit, what: string): string {
  if (!ok) throw new Error(faults.join('; '));
  return `${examined} ${what} verify`;
}

const clock = (ask: Ask): Check => ({
  name: 'clock',
  remedy: 'Synchronise the clocks of this host and of the database server (NTP).',
  run: async () => {
    const before = Date.now();
    const [row] = await ask<{ now: Date }>('select clock_timestamp() as now');
    const skew = Math.round((row?.now.getTime() ?? 0) - (before + Date.now()) / 2);
    if (Math.abs(skew) > MOST_CLOCK_SKEW_MS) throw new Error(`the database's clock differs by ${skew} ms`);
    return `the database's clock differs by ${skew} ms`;
  },
});

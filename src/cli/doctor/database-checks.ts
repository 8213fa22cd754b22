import { DataSource } from 'typeorm';
import type { Settings } from '../../common/config/settings.js';
import { withConnection, type DatabaseAddress } from '../../common/database/connection.js';
import { roleDataSource } from '../../common/database/role-data-source.js';
import { describeNewerSchema, findSchemaFault, readSchemaState } from '../../common/database/schema-version.js';
import { UNSECURED_TABLES } from '../../common/database/unsecured-tables.js';
import { checkpointFolder } from '../../common/evidence-log/checkpoint-folder.js';
import { findKeptFault } from '../../common/evidence-log/kept-checkpoints.js';
import { KnownKeys } from '../../common/evidence-log/known-keys.js';
import { JOBS_SCHEMA } from '../../common/jobs/jobs.js';
import { QUEUES } from '../../common/jobs/queues.js';
import { describeUnpinned } from '../../common/legal-holds/pinned-tables.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { MIGRATIONS } from '../../migrations/index.js';
import type { Check } from '../../common/health/check.js';
import { conversionsCheck } from './conversions-check.js';
import { corruptionCheck } from './corruption.js';
import { embeddingsCheck } from './embeddings-check.js';
import { byFirstKey } from './first-key-there.js';
import { evidenceChecks } from './whole-evidence.js';
import { ledgerCheck } from './ledger-check.js';
import { logProgressCheck } from './log-progress-check.js';
import { peerLogsCheck, timestampsCheck, witnessesCheck } from './outside-checks.js';
import { signingKeyCheck } from './signing-key-check.js';

const MIN_POSTGRESQL = 15;
const MAX_CLOCK_SKEW_MS = 2_000;
const OLDEST_JOB_MINUTES = 10;

export interface DatabaseDiagnosis {
  /** In order: the first connects. */
  readonly checks: Check[];
  close(): Promise<void>;
}

/**
 * What svc needs of its database, seen as the role svc_operator.
 * @param isFull look at all of the evidence, however much it is
 */
export function databaseChecks(settings: Settings, address: DatabaseAddress, isFull: boolean): DatabaseDiagnosis {
  const source = new DataSource(roleDataSource(address, 'svc_operator', { settings }));
  const ask: Query = async <Row>(sql: string, parameters: unknown[] = []) => source.query<Row[]>(sql, parameters);
  return {
    checks: [
      reachable(source, ask),
      version(ask),
      clock(ask),
      migrations(ask),
      rowSecurity(ask),
      legalHolds(ask),
      roles(settings, address, ask),
      planner(ask),
      connections(settings, ask),
      jobQueue(ask),
      signingKeyCheck(settings, ask),
      ledgerCheck(ask),
      conversionsCheck(settings, ask),
      corruptionCheck(ask),
      ...evidenceChecks(source, { settings, ask, isFull }),
      logProgressCheck(settings, ask),
      byFirstKey(settings, ask, keptCheckpoints(settings, ask)),
      witnessesCheck(settings, ask),
      peerLogsCheck(ask),
      timestampsCheck(settings, ask),
      embeddingsCheck(settings, ask),
    ],
    close: async () => {
      if (source.isInitialized) await source.destroy();
    },
  };
}

const reachable = (source: DataSource, ask: Query): Check => ({
  name: 'database',
  isEssential: true,
  remedy:
    'Start the PostgreSQL of SVC_DATABASE_URL and check address, user, password and TLS (docs/operations.md, "TLS"); "svc migrate" makes the roles.',
  run: async () => {
    await source.initialize();
    const [row] = await ask<{ db: string; recovering: boolean }>(
      'select current_database() as db, pg_is_in_recovery() as recovering',
    );
    if (row?.recovering) throw new Error('the database is read-only (in recovery)');
    return `database ${row?.db} answers`;
  },
});

const version = (ask: Query): Check => ({
  name: 'database_version',
  remedy: `Use PostgreSQL ${MIN_POSTGRESQL} or newer.`,
  run: async () => {
    const [row] = await ask<{ version: string; major: number }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
    );
    if (!row || row.major < MIN_POSTGRESQL) throw new Error(`PostgreSQL ${row?.version} is too old`);
    return `PostgreSQL ${row.version}`;
  },
});

const migrations = (ask: Query): Check => ({
  name: 'migrations',
  isEssential: true,
  remedy:
    'Run "svc migrate" for those not run. A database of a newer svc needs that one: docs/upgrade.md, "The way back".',
  run: async () => {
    const state = await readSchemaState(ask);
    const fault = findSchemaFault(state);
    if (fault !== undefined) throw new Error(state.unknown.length > 0 ? fault : `not run: ${state.missing.join(', ')}`);
    return describeNewerSchema(state) ?? `${MIGRATIONS.length} migrations, all run`;
  },
});

const rowSecurity = (ask: Query): Check => ({
  name: 'row_security',
  remedy: "For each table named, as the owner: select svc_secure_table('<table>'). Find out who changed it.",
  run: async () => {
    const open = await ask<{ relname: string }>(UNSECURED_TABLES);
    if (open.length > 0) throw new Error(`not forced on ${open.map(({ relname }) => relname).join(', ')}`);
    return 'forced, with its policy, on every table with tenant data';
  },
});

const legalHolds = (ask: Query): Check => ({
  name: 'legal_holds',
  remedy: 'As the owner, what the detail says. Find out who changed it, and what was deleted meanwhile.',
  run: async () => {
    const fault = await describeUnpinned(ask);
    if (fault !== undefined) throw new Error(fault);
    const [row] = await ask<{ active: number }>(
      'select count(*)::int as active from legal_hold where released_at is null',
    );
    return `their triggers are on every table with tenant content; ${row!.active} active`;
  },
});

/** The operator's connection proved its role when it began. */
const roles = (settings: Settings, address: DatabaseAddress, ask: Query): Check => ({
  name: 'roles',
  remedy: 'As a superuser, the SQL in the detail; "svc migrate" settles what the owner may.',
  run: async () => {
    await withConnection(address, 'svc_app', () => Promise.resolve(), { settings });
    const inherited = await ask<{ owner: string; role: string }>(OWNER_INHERITS);
    if (inherited.length > 0)
      throw new Error(
        inherited.map(({ owner, role }) => `${owner} inherits ${role}: revoke ${role} from ${owner}`).join('; '),
      );
    return 'svc_app and svc_operator own nothing, are members of nothing and cannot bypass row-level security';
  },
});

/** The owner of the tables, unless he is a superuser, whom nothing binds. */
const OWNER_INHERITS = `
  select o.rolname as owner, r.rolname as role from pg_class c join pg_roles o on o.oid = c.relowner,
    pg_roles r where c.oid = 'public.tenant'::regclass and r.rolname in ('svc_app', 'svc_operator')
    and not o.rolsuper and pg_has_role(o.oid, r.oid, 'USAGE') order by 2`;

/** JIT compilation costs a hundred times what the short statements of this product take. */
const planner = (ask: Query): Check => ({
  name: 'planner',
  remedy:
    'alter role svc_app set jit = off; alter role svc_operator set jit = off. See docs/operations.md, "Settings of PostgreSQL".',
  run: async () => {
    const [row] = await ask<{ jit: string; cost: string }>(
      `select current_setting('jit') as jit, current_setting('random_page_cost') as cost`,
    );
    if (row?.jit !== 'off') throw new Error('jit is on for the connections of svc');
    return `jit is off for the connections of svc; random_page_cost ${row.cost}${Number(row.cost) > 2 ? ' (1.1 suits solid-state disks)' : ''}`;
  },
});

/**
 * What the apps of one `svc start` may open: the pools and the listener of each process, and one that looks after
 * silent ones.
 */
const connections = ({ database, api, tools }: Settings, ask: Query): Check => ({
  name: 'connections',
  remedy: 'Raise max_connections of PostgreSQL, or lower SVC_DATABASE_POOL_SIZE.',
  run: async () => {
    const [row] = await ask<{ most: number; reserved: number }>(
      `select current_setting('max_connections')::int as most, current_setting('superuser_reserved_connections')::int as reserved`,
    );
    const needed = (api.processes + tools.processes + 1) * (database.poolSize + database.operatorPoolSize + 2);
    const offered = (row?.most ?? 0) - (row?.reserved ?? 0);
    if (needed > offered) throw new Error(`one svc start may open ${needed} connections, the server offers ${offered}`);
    return `one svc start opens at most ${needed} of the ${offered} connections that the server offers`;
  },
});

const jobQueue = (ask: Query): Check => ({
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

const keptCheckpoints = (settings: Settings, ask: Query): Check => ({
  name: 'checkpoints',
  remedy:
    'The database was set back or changed, or is another one: restore the newest backup with "svc restore", or name another SVC_CHECKPOINT_DIR for a new log. docs/operations.md, "Kept checkpoints".',
  run: async () => {
    const folder = checkpointFolder(settings);
    const fault = await findKeptFault(ask, { folder, knownKeys: new KnownKeys(settings) }, true);
    if (fault !== undefined) throw new Error(fault);
    return `the log extends the ${[...folder.list().values()].flat().length} that were kept`;
  },
});

const clock = (ask: Query): Check => ({
  name: 'clock',
  remedy: 'Synchronise the clocks of this host and of the database server (NTP).',
  run: async () => {
    const before = Date.now();
    const [row] = await ask<{ now: Date }>('select clock_timestamp() as now');
    const now = row!.now.getTime();
    // Between these two it said so: on a busy machine that may be seconds, of which a clock is not to blame.
    const skew = now - Math.min(Math.max(now, before), Date.now());
    if (Math.abs(skew) > MAX_CLOCK_SKEW_MS) throw new Error(`the database's clock differs by ${skew} ms`);
    return `the database's clock differs by ${skew} ms`;
  },
});

import { PgBoss, type Queue } from 'pg-boss';
import { DataSource } from 'typeorm';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { applyFunctions } from '../../migrations/sql-functions.js';
import { JOBS_SCHEMA } from '../jobs/jobs.js';
import { QUEUES } from '../jobs/queues.js';
import { UserError } from '../user-error.js';
import { withConnection, type DatabaseAddress } from './connection.js';
import { checkOwnerRights, type LoginOptions, makeRoles, MIGRATION_NAME, settleLogins } from './login-roles.js';
import { databaseFault, readDatabase, RoleRefused } from './role-proof.js';
import { acceptNewerSchema, readSchemaState, recordVersion } from './schema-version.js';

/**
 * Brings the database to the newest migration and the SQL functions to their files, makes the job queues and settles
 * the logins of the application, as the owner. Several processes may call it at once: one works, the others wait.
 * Nothing is done without the owner's address: then the database must be at the newest migration; nor under a newer
 * schema that takes this program.
 * @returns the names of the migrations that ran
 * @throws UserError when the owner lacks a right, a login is not what it must be, or the schema is newer and does not
 * take this program
 */
export async function migrate(
  address: DatabaseAddress,
  log: (message: string) => void = () => undefined,
  { replacesPasswords = false }: Partial<Pick<LoginOptions, 'replacesPasswords'>> = {},
): Promise<string[]> {
  const { ownerUrl } = address;
  if (!ownerUrl) return requireMigrated(address);
  const dataSource = await new DataSource({
    type: 'postgres',
    url: ownerUrl,
    applicationName: MIGRATION_NAME,
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    poolSize: 2,
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    const newer = await acceptNewerSchema((sql) => lock.query(sql));
    if (newer !== undefined) {
      // Functions, queues and logins stay as the newer one made them.
      log(newer);
      return [];
    }
    await makeRoles(lock, await checkOwnerRights(lock));
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    if (ran.length > 0) await dataSource.query(recordVersion());
    const changed = await applyFunctions(dataSource, { hasMigrated: ran.length > 0 });
    if (changed.length > 0) log(describeChanged(changed));
    await makeQueues(ownerUrl);
    await dataSource.query(GRANTS);
    const left = await settleLogins(lock, address, { log, replacesPasswords });
    if (left.length > 0) log(`The owner may not do all of it; as a superuser: ${left.join('; ')}`);
    return ran.map((migration) => migration.name);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}

const describeChanged = (names: string[]): string =>
  `Applied ${names.length} changed SQL function(s): ${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ', ...' : ''}`;

const MAX_NAMED = 3;

/**
 * What a process does that has the logins of the application alone.
 * @throws UserError when a migration is missing, or a login is not what it must be
 */
async function requireMigrated(address: DatabaseAddress): Promise<string[]> {
  const operators = await withConnection(address, 'svc_operator', async (client) => {
    const ask = async <Row extends object>(sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows;
    if ((await acceptNewerSchema(ask)) !== undefined) return readDatabase(client);
    const [found] = await ask<{ exists: boolean }>(`select to_regclass('migration') is not null as exists`);
    const missing = found?.exists ? (await readSchemaState(ask)).missing.length : MIGRATIONS.length;
    if (missing > 0)
      throw new UserError(
        `${missing} migration(s) have not run. Run "svc migrate" with SVC_DATABASE_URL set to the owner's address`,
      );
    return readDatabase(client);
  });
  const fault = databaseFault(operators, await withConnection(address, 'svc_app', readDatabase));
  if (fault !== undefined) throw new RoleRefused(fault);
  return [];
}

async function makeQueues(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: ownerUrl,
    application_name: MIGRATION_NAME,
    schema: JOBS_SCHEMA,
    max: 2,
    supervise: false,
    schedule: false,
    persistWarnings: false,
  });
  boss.on('error', () => undefined); // start() and createQueue() reject with the same error
  await boss.start();
  for (const queue of QUEUES) await makeQueue(boss, queue);
  await boss.stop({ graceful: false });
}

/** One that is there gets the options that it lacks. Its policy stays: another one takes a queue of another name. */
async function makeQueue(boss: PgBoss, { name, policy, ...options }: Queue): Promise<void> {
  const found = await boss.getQueue(name);
  if (!found) return boss.createQueue(name, { ...options, ...(policy && { policy }) });
  const known: Partial<Record<string, unknown>> = { ...found };
  if (Object.entries(options).some(([option, value]) => known[option] !== value)) await boss.updateQueue(name, options);
}

/** The application sends jobs and reads nothing of them; the operator role works on them. */
const GRANTS = `
  grant usage on schema ${JOBS_SCHEMA} to svc_app, svc_operator;
  grant select, insert, update, delete on all tables in schema ${JOBS_SCHEMA} to svc_operator;
  grant usage on all sequences in schema ${JOBS_SCHEMA} to svc_app, svc_operator;
  grant execute on all functions in schema ${JOBS_SCHEMA} to svc_app, svc_operator;
  grant insert on all tables in schema ${JOBS_SCHEMA} to svc_app;
  grant select on ${JOBS_SCHEMA}.queue, ${JOBS_SCHEMA}.version to svc_app;
  grant select (id, start_after) on ${JOBS_SCHEMA}.job, ${JOBS_SCHEMA}.job_common to svc_app;
  grant select on migration to svc_app, svc_operator;
`;

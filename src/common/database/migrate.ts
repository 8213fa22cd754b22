import { PgBoss } from 'pg-boss';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { JOBS_SCHEMA } from '../jobs/jobs.js';
import { QUEUES } from '../jobs/queues.js';
import type { DatabaseAddress } from './connection.js';

/** Any constant: the same for every process, so that only one migrates at a time. */
const MIGRATION_LOCK = 7_389_214_655;

/**
 * Brings the database to the newest migration and makes the job queues, as the owner. Several processes may call it at once: one works, the others wait.
 * @returns the names of the migrations that ran
 */
export async function migrate(address: DatabaseAddress): Promise<string[]> {
  const dataSource = await new DataSource({
    type: 'postgres',
    url: address.ownerUrl,
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    poolSize: 2,
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    await makeQueues(address);
    await dataSource.query(GRANTS);
    return ran.map((migration) => migration.name);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}

async function makeQueues(address: DatabaseAddress): Promise<void> {
  const boss = new PgBoss({
    connectionString: address.ownerUrl,
    schema: JOBS_SCHEMA,
    max: 2,
    supervise: false,
    schedule: false,
    persistWarnings: false,
  });
  boss.on('error', () => undefined); // start() and createQueue() reject with the same error
  await boss.start();
  for (const { name, ...options } of QUEUES) if (!(await boss.getQueue(name))) await boss.createQueue(name, options);
  await boss.stop({ graceful: false });
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

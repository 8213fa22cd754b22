import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../../src/common/database/run-migrations.js';
import { JOBS_SCHEMA } from '../../../src/common/jobs/jobs.js';
import { asSuperuser, freshDatabase, type TestDatabase } from '../../kit/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

it('queues that are there get the options of this version, and keep their policy', async () => {
  const queues = () =>
    asSuperuser(
      database,
      `select name, policy, retry_limit, retry_delay_max, expire_seconds, heartbeat_seconds, notify, dead_letter
       from ${JOBS_SCHEMA}.queue order by name`,
    );
  const made = await queues();
  await asSuperuser(
    database,
    `update ${JOBS_SCHEMA}.queue set retry_limit = 99, expire_seconds = 7, notify = false, dead_letter = null`,
  );
  await migrate({ ownerUrl: database.url });
  expect(await queues()).toEqual(made);
});

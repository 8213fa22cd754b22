import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OUTBOX_CHANNEL } from '../../../src/common/outbox/outbox.js';
import { PublisherService } from '../../../src/modules/events/outbox/publisher/publisher.service.js';
import { startApi, type TestApi } from '../../kit/app.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** The loop of a sink: the look for due work waits for the lock as well. */
const isPublishing = async ({ database }: TestApi): Promise<boolean> => {
  const waiting = await database.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query like 'select transaction::text as transaction, position::text%'`,
  );
  return waiting.length > 0;
};

it('publishing ends with the step in progress, and does not begin the pause after it', async () => {
  const client = new Client({ connectionString: api.database.superuserUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('lock table outbox_cursor in access exclusive mode');
    await api.database.query('select pg_notify($1, $2)', [OUTBOX_CHANNEL, '']);
    while (!(await isPublishing(api))) await sleep(20);
    const stopped = api.app.get(PublisherService).beforeApplicationShutdown();
    await client.query('rollback');
    // A pause is a minute.
    const ended = await Promise.race([stopped.then(() => true), sleep(20_000, false, { ref: false })]);
    expect(ended).toBe(true);
  } finally {
    await client.end();
  }
});

import type { Socket } from 'node:net';
import { Pool, type Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { roleConnection, withConnection } from '../../../src/common/database/connection.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';

const settings = loadSettings({ NODE_ENV: 'test' });
let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

// An error event that nobody hears would end this process, and fail the run.
it('rejects its work when the connection ends under it, and leaves the process alone', async () => {
  const ended = withConnection(
    { ownerUrl: database.url },
    'svc_operator',
    (client) => {
      const waiting = client.query('select pg_sleep(10)');
      (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      return waiting;
    },
    { settings },
  );
  await expect(ended).rejects.toThrow(/terminat/);
});

it('survives the end of a connection that a pool handed over and whose new owner does not listen yet', async () => {
  const pool = new Pool(roleConnection({ ownerUrl: database.url }, 'svc_app', { settings }));
  pool.on('error', () => undefined);
  const client = await pool.connect();
  const ended = new Promise((resolve) => client.once('end', resolve));
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const terminate = (owner: Client) => owner.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
  // Same role only: PostgreSQL lets nobody else end a session but a superuser.
  await withConnection({ ownerUrl: database.url }, 'svc_app', terminate, { settings });
  await ended;
  await expect(client.query('select 1')).rejects.toThrow(/not queryable|terminat|closed/);
  client.release();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

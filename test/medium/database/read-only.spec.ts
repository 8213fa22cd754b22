import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let api: TestApi;
let daemon: TestDaemon;
let superuser: Client;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database });
  superuser = new Client({ connectionString: api.database.superuserUrl });
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await daemon.close();
  await api.close();
});

/** Of connections that begin from now on; those that are there end. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  await superuser.query('set default_transaction_read_only = off');
  await superuser.query(
    `do $$ begin execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end $$`,
  );
  await superuser.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

const readyz = async (url: string): Promise<[number, string]> => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.text()];
};

it('a database that is set to read-only is not ready, until it is not', { timeout: 60_000 }, async () => {
  const unready = [503, expect.stringContaining('the database is read-only')];
  await setReadOnly('on');
  for (const { url } of [api, daemon]) await expect.poll(() => readyz(url), { timeout: 20_000 }).toEqual(unready);
  await setReadOnly('off');
  for (const { url } of [api, daemon])
    await expect.poll(async () => (await readyz(url))[0], { timeout: 20_000 }).toBe(200);
});

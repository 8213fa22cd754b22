import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOf, type TestDatabase } from '../../kit/database.js';
import { introduce, Site, TENANT } from './given.js';

let here: Site;
let there: Site;
let older: TestDatabase;
beforeAll(async () => {
  const settings = { SVCD_FEATURE_INCIDENTS: '1' };
  here = await Site.start({ ...settings, SVC_LOG_ORIGIN: 'here.example/log' });
  there = await Site.start({ ...settings, SVC_LOG_ORIGIN: 'there.example/log' });
  await introduce([here, 'here'], [there, 'there']);
  const { verifier_key: key } = await there.json<{ verifier_key: string }>('key', 'pin');
  await here.json('peer-log', 'pin', 'there', '--tenant', TENANT, '--key', key, '--url', there.daemon.url);
}, 240_000);
afterAll(() => Promise.all([here.close(), there.close(), older.drop()]));

const nameOf = ({ url }: TestDatabase): string => /^postgres(?:ql)?:\/\/[^/]*\/([^?]*)/.exec(url)![1]!;

/** Puts an older copy in the place of a database that nobody is connected to. */
async function setBack(database: TestDatabase, copy: TestDatabase): Promise<void> {
  const [name, former] = [nameOf(database), nameOf(copy)];
  const admin = new Client({ connectionString: database.superuserUrl.replace(name, 'postgres') });
  await admin.connect();
  await admin.query(`alter database ${name} rename to ${name}_later`);
  await admin.query(`alter database ${former} rename to ${name}`);
  await admin.query(`alter database ${name}_later rename to ${former}`);
  await admin.end();
}

const headOf = async (): Promise<number> => {
  const [log] = (await here.json<{ peer_logs: { size: number }[] }>('peer-log', 'list')).peer_logs;
  return log!.size;
};

describe('a peer whose database is an older copy again', { timeout: 480_000 }, () => {
  it('is noticed at the next exchange: nothing is taken, an incident is open, and the gate says so', async () => {
    await there.fact('user:ada', 'city', 'London');
    expect(await here.sync('pull', 'there')).toMatchObject({ state: 'equal' });
    await there.daemon.stop('SIGTERM');
    older = await copyOf(there.database);
    await there.daemon.start();
    const before = await headOf();
    for (let n = 0; n < 20; n++) await there.fact('user:ada', 'street', `${n}`);
    while ((await headOf()) <= before) {
      expect(await here.sync('pull', 'there')).toMatchObject({ state: 'equal' });
      await there.fact('user:ada', 'visits', `${Date.now()}`);
      await here.json('peer-log', 'look', 'there', '--tenant', TENANT);
      await sleep(200);
    }

    await there.daemon.stop('SIGTERM');
    await setBack(there.database, older);
    // Or it would refuse to be ready itself: it keeps its last checkpoints outside of the database.
    rmSync(join(there.folder, 'checkpoints'), { recursive: true, force: true });
    await there.daemon.start();
    await there.fact('user:ada', 'city', 'Paris');

    const pulled = await here.run('sync', 'pull', 'there', '--tenant', TENANT, '--json');
    expect([pulled.code, pulled.stdout + pulled.stderr]).toEqual([4, expect.stringContaining('there.example/log')]);
    expect(await here.valueOf('user:ada', 'city')).toBe('London');
    const { cases } = await here.ok<{ cases: { title: string; severity: string }[] }>(
      'GET',
      `/v1/incidents?tenant_id=${TENANT}`,
    );
    expect(cases).toMatchObject([{ severity: 'high' }]);
    const { peer_logs: logs } = await here.json<{ peer_logs: { state: string }[] }>('peer-log', 'list');
    expect(['split', 'rolled_back']).toContain(logs[0]!.state);
    const pushed = await here.run('sync', 'push', 'there', '--tenant', TENANT);
    expect(pushed.code).toBe(4);
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { ReplicatedPostgres } from '../../kit/replication.js';
import { detailOf, untilFails, untilReady } from './drills.js';

vi.setConfig({ testTimeout: 120_000 });

let postgres: ReplicatedPostgres;
let daemon: TestDaemon;
beforeAll(async () => {
  postgres = await ReplicatedPostgres.start();
  await postgres.asSuperuser('grant pg_monitor to svc_operator');
  const env = { SVC_DATABASE_URL: postgres.database.url, SVCD_COMMIT_MODE: 'replicated' };
  daemon = await startDaemon({ database: postgres.database, env });
});
afterAll(async () => {
  await postgres.waitForNobody();
  await daemon.close();
  await postgres.stop();
});

const GATE = 'replicated_commit_topology';

describe('replicated_commit_topology', () => {
  it('fails while no commit waits for a standby, and holds once one does', async () => {
    expect((await untilFails(daemon.url, GATE)).detail).toContain('synchronous_standby_names');
    await postgres.waitForStandby();
    await untilReady(daemon.url);
    expect(await detailOf(daemon.url, GATE)).toBe('1 synchronous standby(s) stream');
    expect(await detailOf(daemon.url, 'replicated_commit_dataplane')).toContain('external PostgreSQL');
  });

  it('fails when the standby is gone, and recovers when it is back: what was written meanwhile is committed then', async () => {
    await untilReady(daemon.url);
    await postgres.stopStandby();
    expect((await untilFails(daemon.url, GATE)).detail).toContain('no synchronous standby streams');
    const written = daemon.call('PUT', '/v1/facts', { entity: 'waits', key: 'k', value: 'v' });
    await postgres.startStandby();
    await untilReady(daemon.url);
    expect((await written).status).toBe(201);
  });

  it('fails when the sessions of the daemon do not wait', async () => {
    await postgres.asSuperuser(`alter role svc_app set synchronous_commit = 'local'`);
    await postgres.asSuperuser(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'svc svc_%'`,
    );
    expect((await untilFails(daemon.url, GATE)).detail).toContain('synchronous_commit');
    await postgres.asSuperuser(`alter role svc_app reset synchronous_commit`);
    await postgres.asSuperuser(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'svc svc_%'`,
    );
    await untilReady(daemon.url);
  });

  it('says what it takes to see standbys', async () => {
    await postgres.asSuperuser('revoke pg_monitor from svc_operator');
    expect((await untilFails(daemon.url, GATE)).detail).toContain('grant pg_monitor to svc_operator');
    await postgres.asSuperuser('grant pg_monitor to svc_operator');
    await untilReady(daemon.url);
    expect((await send(daemon.url, 'GET', '/readyz')).body.commit).toEqual({ mode: 'replicated' });
  });
});

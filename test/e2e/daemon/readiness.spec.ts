import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';
import { ServerProcess } from '../../kit/server-process.js';

let database: TestDatabase;
let dataDir: string;
const processes: ServerProcess[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-readiness-'));
  for (let n = 0; n < 2; n++) processes.push(await ServerProcess.at(database.url, dataDir, {}, 'daemon'));
});
afterAll(async () => {
  for (const one of processes) await one.stop('SIGKILL');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Which gates fail; undefined while nothing answers. */
const failing = async ({ url }: ServerProcess): Promise<string[] | undefined> =>
  send(url, 'GET', '/readyz').then(
    ({ body }) => body.checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ gate }: { gate: string }) => gate),
    () => undefined,
  );

it('two daemons on one directory: the second is ready once the first is killed', { timeout: 120_000 }, async () => {
  const [first, second] = processes as [ServerProcess, ServerProcess];
  await first.start();
  const coming = second.start();
  await expect.poll(() => failing(second), { timeout: 60_000 }).toEqual(['data_dir_lock_held']);
  const { checks } = (await send(second.url, 'GET', '/readyz')).body;
  expect(checks[1].detail).toContain(`process ${first.pid} on`);
  expect(await failing(first)).toEqual([]);
  await first.stop('SIGKILL');
  await coming;
  expect(await failing(second)).toEqual([]);
  expect(second.output).not.toContain('Warning');
});

it('svc doctor clears what was found damaged, and says what that was', { timeout: 120_000 }, async () => {
  const second = processes[1]!;
  await database.query(
    `insert into corruption_finding (source, subject, detail) values ('segment', 'acme/1', 'of the test')`,
  );
  await expect.poll(() => failing(second), { timeout: 10_000 }).toEqual(['corruption_state_clear']);
  const doctor = (...args: string[]) => {
    const env = { PATH: process.env['PATH'] ?? '', SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: database.url };
    const program = [PROGRAM, 'doctor', ...args];
    return spawnSync(process.execPath, program, { env, encoding: 'utf8' });
  };
  const found = JSON.parse(doctor('--json').stdout).checks.find(({ name }: { name: string }) => name === 'corruption');
  expect(found).toMatchObject({ ok: false, detail: '1 found damaged: segment acme/1: of the test' });
  const { status, stdout } = doctor('--clear-corruption');
  expect([status, stdout.split('\n')[0]]).toEqual([0, 'cleared  segment acme/1: of the test']);
  await expect.poll(() => failing(second), { timeout: 10_000 }).toEqual([]);
  expect(JSON.parse(doctor('--clear-corruption', '--json').stdout)).toEqual({ ok: true, cleared: [] });
});

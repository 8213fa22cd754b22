import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { ALL_SCOPES } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';

const FOLDERS = 40;
const FILES = 100;
const METHODS = 10;
const KILLS = 2;
const HEADERS = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': 'acme' };

let database: TestDatabase;
let folder: string;
let api: ServerProcess;
let daemon: ServerProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-scan-kill-'));
  const root = join(folder, 'root');
  for (let n = 0; n < FOLDERS; n++) {
    mkdirSync(join(root, `f${n}`), { recursive: true });
    for (let m = 0; m < FILES; m++) writeFileSync(join(root, `f${n}`, `c${m}.ts`), classOf(`C${n}x${m}`));
  }
  database = await freshDatabase();
  const env = { SVCD_WORKSPACE_ROOT: root };
  api = await ServerProcess.at(database.url, join(folder, 'api'), env);
  daemon = await ServerProcess.at(database.url, join(folder, 'daemon'), env, 'daemon');
  await api.start();
  await daemon.start();
}, 240_000);
afterAll(async () => {
  await api.stop('SIGKILL');
  await daemon.stop('SIGKILL');
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const classOf = (name: string): string =>
  `export class ${name} {\n${Array.from({ length: METHODS }, (_, n) => `  m${n}(): void {}\n`).join('')}}\n`;

interface Scan {
  state: string;
  attempt: number;
  files: number;
  symbols: number;
}

/** Until the scan is so. */
async function waitFor(scanId: string, isSo: (scan: Scan) => boolean): Promise<Scan> {
  for (;;) {
    const [scan] = await database.query<Scan>('select * from workspace_scan where scan_id = $1', [scanId]);
    if (isSo(scan!)) return scan!;
    await sleep(20);
  }
}

it('a scan whose process is killed in the middle is begun again and ends whole', { timeout: 600_000 }, async () => {
  const made = await send(daemon.url, 'POST', '/v1/workspace/scan', {}, HEADERS);
  expect([made.status, made.body.detail]).toEqual([202, undefined]);
  const scanId: string = made.body.scan.scan_id;
  for (let kill = 0; kill < KILLS; kill++) {
    await waitFor(scanId, ({ attempt, files }) => attempt > kill && files > 0);
    await api.stop('SIGKILL');
    expect((await waitFor(scanId, () => true)).state).toBe('running');
    await api.start();
  }
  const scan = await waitFor(scanId, ({ state }) => state !== 'running');
  const files = FOLDERS * FILES;
  expect(scan).toMatchObject({ state: 'done', files, symbols: files * (METHODS + 1), attempt: KILLS + 1 });
  const [stored] = await database.query(
    `select (select count(*)::int from workspace_file) as files, (select count(distinct path)::int from workspace_file) as paths,
       (select count(*)::int from workspace_symbol) as symbols,
       (select count(*)::int from receipt where subject = $1 and kind = 'workspace.scan_completed') as receipts`,
    [scanId],
  );
  expect(stored).toEqual({ files, paths: files, symbols: files * (METHODS + 1), receipts: 1 });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf } from '../../kit/markdown.js';
import { removeDataDir, SvcProcess } from '../processes/svc-process.js';

const tour = readFileSync(join(import.meta.dirname, '../../../docs/tour.md'), 'utf8');

let folder: string;
let svc: SvcProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tour-'));
  svc = await SvcProcess.start(join(folder, '.svc'), { environment: settingsOf(tour) });
});
afterAll(async () => {
  await svc.stop();
  removeDataDir(join(folder, '.svc'));
  rmSync(folder, { recursive: true, force: true });
});

/** The settings that the page's first block starts the server with. */
function settingsOf(page: string): Record<string, string> {
  const [, command] = /^```sh start\n(.*) npm start$/m.exec(page)!;
  return Object.fromEntries(command!.split(' ').map((one) => one.split('=') as [string, string]));
}

it('docs/tour.md shows commands that work in their order', { timeout: 120_000 }, () => {
  const script = blocksOf(tour, 'sh').join('\n').replaceAll('http://127.0.0.1:8090', svc.url);
  expect(script).not.toContain('8090');
  const { status, stdout, stderr } = spawnSync('sh', ['-e'], {
    cwd: folder,
    input: script,
    encoding: 'utf8',
    timeout: 100_000,
  });
  const said = stdout.trim().split('\n');
  const isStatus = (line: string) => /^\d{3}$/.test(line);
  expect({ status, stderr, said }).toEqual({ status: 0, stderr: '', said: expect.anything() });
  const promised = [...script.matchAll(/^(?:status|deliver) .*# (\d{3})$/gm)].map(([, code]) => code);
  expect(said.filter(isStatus).filter((line) => line !== '100')).toEqual(promised);
  expect(said.filter((line) => !isStatus(line) || line === '100')).toEqual([
    'owner',
    'tides',
    'moorings',
    'approved',
    'shoals',
    '100',
    '0',
    'new_version',
  ]);
});

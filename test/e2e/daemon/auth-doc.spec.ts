import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyDatabase } from '../../kit/database.js';
import { SHELL_PROGRAM } from '../../kit/program.js';
import { ServerProcess } from '../../kit/server-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'daemon-auth.md'), 'utf8');
const commandsUnder = (heading: string): string =>
  page
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`))!
    .match(/^```sh\n([^]*?)^```$/m)![1]!;

describe('docs/daemon-auth.md', { timeout: 120_000 }, () => {
  it.each([
    ['dev_scopes', /"facts":\[\][^]*"facts":\[\]/],
    ['jwt_hs256', /"city"[^]*"facts":\[\{[^]*"token":"[^]*"expires_at"/],
  ])('shows commands for %s that work as they stand', async (mode, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-auth-doc-'));
    const database = await emptyDatabase();
    const daemon = await ServerProcess.at(database.url, folder, { SVCD_AUTH_MODE: mode }, 'daemon');
    try {
      await daemon.start();
      const script = commandsUnder(mode)
        .replaceAll('http://127.0.0.1:14800', daemon.url)
        .replaceAll('npx svc', SHELL_PROGRAM)
        .replaceAll('curl -sS ', 'curl -sS --fail-with-body ');
      const env = { PATH: process.env['PATH'], SVC_DATA_DIR: folder, SVCD_AUTH_MODE: mode };
      const { status, stdout, stderr } = spawnSync('sh', ['-e'], { env, input: script, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(expected);
    } finally {
      await daemon.stop('SIGTERM');
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

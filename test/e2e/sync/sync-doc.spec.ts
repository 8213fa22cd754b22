import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';
import { isRunning, removeDataDir, until } from '../processes/svc-process.js';

const page = new ShellPage('sync.md');
const others = ['.svc-second', '.svc-third'].map((name) => join(page.folder, name));
beforeAll(() => page.start());
afterAll(async () => {
  const file = join(page.folder, 'second.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGTERM');
  if (pid !== undefined) await until('the end of the second server', () => !isRunning(pid));
  for (const dataDir of others) if (existsSync(join(dataDir, 'postgres'))) removeDataDir(dataDir);
  await page.stop();
});

describe('docs/sync.md', () => {
  it('shows commands that work as they stand, between fresh servers', { timeout: 480_000 }, async () => {
    const { stdout } = await page.runAside();
    page.expectPromised(stdout, 19);
  });
});

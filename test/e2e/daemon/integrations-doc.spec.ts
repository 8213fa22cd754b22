import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('integrations.md');
// In a process of its own: this one waits for the shell.
const FAKE = join(import.meta.dirname, '../../medium/integrations/fake-github.ts');
const PROGRAM = `
  import { FakeGithub } from '${FAKE}';
  const github = new FakeGithub();
  github.accounts.set('ghp_octocatoctocatoctocat', { id: 583231, login: 'octocat' });
  console.log(await github.start());
`;
let github: ChildProcess;
beforeAll(async () => {
  const program = ['--input-type=module', '-e', PROGRAM];
  github = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(github.stdout!, 'data')) as [Buffer];
  await page.start({ SVCD_GITHUB_API_URL: address.toString().trim() });
});
afterAll(async () => {
  await page.stop();
  github.kill();
});

describe('docs/integrations.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 10);
    expect(stdout).not.toContain('undefined');
  });
});

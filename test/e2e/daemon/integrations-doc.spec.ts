import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeGithub } from '../../medium/integrations/fake-github.js';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('integrations.md');
const github = new FakeGithub();
beforeAll(async () => {
  github.accounts.set('ghp_octocatoctocatoctocat', { id: 583231, login: 'octocat' });
  await page.start({ SVCD_GITHUB_API_URL: await github.start() });
});
afterAll(async () => {
  await page.stop();
  await github.stop();
});

describe('docs/integrations.md', () => {
  // The server of the test answers from this process: the shell must not keep it from that.
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 11);
    expect(stdout).not.toContain('undefined');
  });
});

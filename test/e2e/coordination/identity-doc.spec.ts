import { afterAll, beforeAll, describe, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('identity.md');
beforeAll(() => page.start({ SVCD_IDENTITY_LINKS: '1' }));
afterAll(() => page.stop());

describe('docs/identity.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 8);
  });
});

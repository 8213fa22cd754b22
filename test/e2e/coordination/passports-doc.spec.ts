import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('passports.md');
beforeAll(() => page.start({ SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1' }));
afterAll(() => page.stop());

describe('docs/passports.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 17);
    expect(stdout).not.toContain('undefined');
  });
});

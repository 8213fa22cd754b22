import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quotaWindow } from '../../kit/quota-window.js';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('quota.md');
beforeAll(() => page.start({ SVCD_QUOTA: '1', SVCD_QUOTA_HOSTED_SURFACES: `facts:3/${quotaWindow(3600)}` }));
afterAll(() => page.stop());

describe('docs/quota.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 6);
    expect(stdout).not.toContain('undefined');
  });
});

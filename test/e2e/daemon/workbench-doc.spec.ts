import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRO_SERVICES } from '../../../src/common/contract/scopes.js';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('workbench.md');
beforeAll(() => page.start({ SVCD_ENABLED_PRO_SERVICES: PRO_SERVICES.join(' ') }));
afterAll(() => page.stop());

describe('docs/workbench.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 29);
    expect(stdout).not.toContain('undefined');
  });

  it('names every service in its settings', () => {
    const settings = page.blocks('text').join('\n');
    expect(PRO_SERVICES.filter((service) => !settings.includes(service))).toEqual([]);
  });
});

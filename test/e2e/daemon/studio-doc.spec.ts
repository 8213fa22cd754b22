import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('studio.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/studio.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 15);
    expect(stdout).not.toContain('undefined');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('ingest.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/ingest.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 5);
    expect(stdout).toContain('handbook: 2 sent, 0 unchanged, 1 left out');
  });
});

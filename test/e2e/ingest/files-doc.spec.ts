import { afterAll, beforeAll, describe, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('files.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/files.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    page.expectPromised(page.run().stdout, 3);
  });
});

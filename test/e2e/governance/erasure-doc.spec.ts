import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('erasure.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

it('docs/erasure.md shows commands that work as they stand', { timeout: 300_000 }, () => {
  const { stdout } = page.run();
  expect(stdout).toContain('"state":"found"');
  expect(stdout).toMatch(/"state":"(removed|scrubbed)"/);
});

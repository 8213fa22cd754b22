import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('extensions.md');
beforeAll(() => page.start({ SVC_BUILD_FEATURES: 'wasm-extensions', SVCD_EXTENSION_TIMEOUT_MS: '500' }));
afterAll(() => page.stop());

it('docs/extensions.md shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
  const { stdout } = page.run();
  page.expectPromised(stdout, 11);
  expect(stdout).not.toContain('undefined');
});

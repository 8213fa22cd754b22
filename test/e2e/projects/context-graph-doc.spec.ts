import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('context-graph.md');
beforeAll(() => page.start({ SVCD_WORKSPACE_ROOT: join(page.folder, 'lighthouse') }));
afterAll(() => page.stop());

it('docs/context-graph.md shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
  const { stdout } = page.run();
  page.expectPromised(stdout, 8);
  const [printed] = page.blocks('text').slice(1);
  expect(stdout).toContain(printed);
  expect(stdout.split('\n')).toContain(JSON.stringify(JSON.parse(page.blocks('json')[0]!)));
});

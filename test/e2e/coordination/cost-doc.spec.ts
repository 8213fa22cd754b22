import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('cost.md');
beforeAll(() => {
  const file = join(page.folder, 'prices.yaml');
  writeFileSync(file, page.blocks('yaml')[0]!);
  return page.start({ SVCD_FEATURE_COST_LENS: '1', SVCD_PRICES_FILE: file });
});
afterAll(() => page.stop());

describe('docs/cost.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 7);
    expect(stdout).toContain(page.blocks('text')[0]);
  });
});

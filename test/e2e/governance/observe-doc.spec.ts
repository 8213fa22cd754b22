import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RULE_NAMES } from '../../../src/modules/governance/observe/ai-act.types.js';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('observe.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/observe.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    page.expectPromised(page.run().stdout, 12);
  });

  it('names the rules that there are', () => {
    const named = [...page.text.matchAll(/^\| `(\w+)` .*Article/gm)].map(([, rule]) => rule);
    expect(named).toEqual(RULE_NAMES);
  });
});

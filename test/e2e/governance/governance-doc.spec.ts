import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('governance.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/governance.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    page.expectPromised(page.run().stdout, 8);
  });

  it('names every part with a page of its own', () => {
    const named = [...page.text.matchAll(/^\| \[[\w ]+\]\(([\w-]+\.md)\)/gm)].map(([, file]) => file);
    expect(named).toEqual(['provenance.md', 'observe.md', 'incidents.md', 'legal-holds.md', 'erasure.md']);
  });
});

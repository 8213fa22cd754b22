import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('storybooks.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/storybooks.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const lines = page.run().stdout.split('\n');
    const promised = [...page.text.matchAll(/^[^\n]*\bfield [^\n]* # ([^\n]+)$/gm)].map(([, text]) => text!);
    expect(promised).toHaveLength(16);
    let from = 0;
    for (const text of promised) {
      const at = lines.indexOf(text, from);
      expect({ text, isPrinted: at >= from, lines }).toMatchObject({ text, isPrinted: true });
      from = at + 1;
    }
    expect(lines).toContainEqual(expect.stringContaining('- Asked, questions tax: Which rate?'));
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('candidates.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

it('docs/candidates.md shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
  const { stdout } = page.run();
  const promised = [...page.text.matchAll(/field [^\n|]* # ([^\n]+)/g)].map(([, text]) => text!);
  expect(promised).toHaveLength(14);
  let from = 0;
  const lines = stdout.split('\n');
  for (const text of promised) {
    const at = lines.indexOf(text, from);
    expect({ text, isPrinted: at >= from, stdout }).toMatchObject({ text, isPrinted: true });
    from = at + 1;
  }
  expect(lines).toContain('credentials found');
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('provenance.md');
beforeAll(() => page.start(), 300_000);
afterAll(() => page.stop());

it('docs/provenance.md shows commands that work as they stand', { timeout: 300_000 }, () => {
  const { stdout, stderr } = page.run('--fail-with-body');
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  const promised = page.blocks('sh').flatMap((block) => [...block.matchAll(/ # (.+)$/gm)].map(([, text]) => text!));
  expect(promised).toHaveLength(10);
  // What comments promise is printed in this order; the two digests at the end are one.
  expect(lines.slice(0, -2)).toEqual(promised);
  expect(lines.at(-2)).toBe(lines.at(-1));
});

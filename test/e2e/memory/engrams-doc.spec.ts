import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('engrams.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/engrams.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 20);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['ENGRAMS_UNKNOWN', 'same', 'procedure']));
  });
});

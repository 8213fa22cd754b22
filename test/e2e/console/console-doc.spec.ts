import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ShellPage } from '../processes/shell-page.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = new ShellPage('console.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/console.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    page.expectPromised(page.run().stdout, 3);
  });

  it('names every setting of the console', () => {
    const inEnv = readFileSync(join(ROOT, 'docs', 'env.md'), 'utf8').match(/^\| `SVCD_CONSOLE_\w+/gm)!;
    const named = page.text.match(/^\| `SVCD_CONSOLE_\w+/gm)!;
    expect(named.sort()).toEqual(inEnv.sort());
  });

  it('names every screen', () => {
    const source = readFileSync(join(ROOT, 'console', 'src', 'app', 'screens.ts'), 'utf8');
    const listed = source.split('  screen(').filter((entry) => entry.includes('group: '));
    const titles = listed.map((entry) => /^'[^']*', '([^']+)'/.exec(entry)![1]!);
    expect(titles.length).toBeGreaterThan(15);
    expect(titles.filter((title) => !page.text.includes(title))).toEqual([]);
  });

  it('has every picture that there is', () => {
    const used = [...page.text.matchAll(/\(images\/(console-[\w-]+\.png)\)/g)].map(([, file]) => file!);
    const there = readdirSync(join(ROOT, 'docs', 'images')).filter((file) => file.startsWith('console-'));
    expect(used.sort()).toEqual(there.sort());
  });
});

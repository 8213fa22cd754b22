import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellPage } from '../processes/shell-page.js';

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs');
const page = new ShellPage('memory.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/memory.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    page.expectPromised(page.run().stdout, 6);
  });

  it('names every part with a page of its own', () => {
    const named = [...page.text.matchAll(/^\| \[[\w ]+\]\(([\w-]+\.md)\)/gm)].map(([, file]) => file!);
    expect(named).toEqual([
      'candidates.md',
      'engrams.md',
      'context.md',
      'memory-packs.md',
      'embeddings.md',
      'capabilities.md',
    ]);
    expect(named.filter((file) => !existsSync(join(DOCS, file)))).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DUMP_FORMATS } from '../../../src/cli/memory/dump-formats.js';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('memory-packs.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/memory-packs.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    page.expectPromised(page.run().stdout, 6);
  });

  it('says of every format what is read and what is left out', () => {
    const rows = [...page.text.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) +\|/gm)].flatMap(([, names]) => names!.split(', '));
    expect(rows.map((name) => name.replaceAll('`', '')).sort()).toEqual(
      DUMP_FORMATS.filter((format) => format !== 'pack').toSorted(),
    );
  });
});

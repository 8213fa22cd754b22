import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { ShellPage } from '../processes/shell-page.js';

const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };

const page = new ShellPage('incidents.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/incidents.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout } = page.run();
    page.expectPromised(stdout, 7);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['state root as before', '409']));
  });

  it('makes an export that programs of others accept', async () => {
    const file = join(page.folder, 'incident.json');
    const { checks } = await verifyBundle(readFileSync(file), LIMITS);
    // The daemon of the page lets everybody in: of that alone the verifier warns.
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['auth-mode']);
    const python = spawnSync('python3', ['-m', 'svc_verify', file, '--json'], {
      cwd: join(import.meta.dirname, '../../../examples/verify'),
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
    });
    if (python.error) return;
    expect([python.stderr, JSON.parse(python.stdout)]).toEqual(['', expect.objectContaining({ failed: 'auth-mode' })]);
  });
});

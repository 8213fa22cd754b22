import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyDatabase } from '../../kit/database.js';
import { ApiProcess } from '../ingest/api-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'provenance.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);

it('docs/provenance.md shows commands that work as they stand', { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-provenance-doc-'));
  const database = await emptyDatabase();
  const env = { SVCD_AUTH_MODE: 'jwt_hs256', SVCD_FEATURE_PROVENANCE_API: '1' };
  const daemon = await ApiProcess.at(database.url, folder, env, 'daemon');
  try {
    await daemon.start();
    const script = blocks
      .join('\n')
      .replaceAll('http://127.0.0.1:14800', daemon.url)
      .replaceAll('npx svc', `'${process.execPath}' '${join(ROOT, 'dist', 'main.js')}'`)
      .replaceAll('curl -sS ', 'curl -sS --fail-with-body ');
    const { status, stdout, stderr } = spawnSync('sh', ['-e'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], SVC_DATA_DIR: folder, SVCD_AUTH_MODE: 'jwt_hs256' },
      input: script,
      encoding: 'utf8',
    });
    expect({ status, stderr, stdout }).toMatchObject({ status: 0, stderr: '' });
    const lines = stdout.trim().split('\n');
    const promised = blocks.flatMap((block) => [...block.matchAll(/ # (.+)$/gm)].map(([, text]) => text!));
    expect(promised).toHaveLength(10);
    // What comments promise is printed in this order; the two digests at the end are one.
    expect(lines.slice(0, -2)).toEqual(promised);
    expect(lines.at(-2)).toBe(lines.at(-1));
  } finally {
    await daemon.stop('SIGTERM');
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Vitest global set-up of the tests that run what was compiled: never what was compiled of older sources. */
export default function ensureBuild(): void {
  const script = join(import.meta.dirname, '../../scripts/build.mjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The program does not compile; the errors stand above');
}

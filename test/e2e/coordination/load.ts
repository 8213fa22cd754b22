import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export const buildBench = (): void =>
  void execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), 'bench'], { stdio: 'inherit' });

/** `npm run bench:coordination` with these numbers and without its measurements of speed. @returns what it found */
export function runLoad(numbers: Record<string, number>): any {
  const options = Object.entries({ ...numbers, seconds: 0 }).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const args = [join(ROOT, 'dist-bench', 'bench', 'coordination.js'), ...options, '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (!stdout) throw new Error(`The load ended without a result:\n${stderr}`);
  return JSON.parse(stdout).leases;
}

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const RECORDS = 3000;
const PLAN = { records: RECORDS, kills: 4, cuts: 8, seed: 17 };

it(
  'two daemons have the same records after random kills and cut connections, and ask twice when they do',
  { timeout: 600_000 },
  () => {
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), 'bench'], { stdio: 'inherit' });
    const options = Object.entries(PLAN).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const args = [join(ROOT, 'dist-bench', 'bench', 'sync.js'), ...options, '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (!stdout) throw new Error(`The trial ended without a result:\n${stderr}`);
    const result = JSON.parse(stdout);
    expect(result.faults).toEqual([]);
    expect(result.kills.here + result.kills.there).toBe(4);
    expect(result.cuts).toBe(8);
    expect(result.requestsWhenEqual).toBeLessThanOrEqual(2);
    expect(result.collections).toHaveLength(7);
    for (const { source_root, target_root } of result.collections) expect(source_root).toBe(target_root);
    const count = result.collections.reduce((sum: number, one: { source_count: number }) => sum + one.source_count, 0);
    expect(count).toBe(RECORDS);
  },
);

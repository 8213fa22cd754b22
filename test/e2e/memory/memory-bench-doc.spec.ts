import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../kit/markdown.js';
import { PROGRAM } from '../../kit/program.js';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'svc-memory-bench-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 280_000 });

describe('docs/memory-bench.md', () => {
  it('shows commands that work as they stand', { timeout: 600_000 }, () => {
    const built = spawnSync(process.execPath, ['scripts/build.mjs', 'bench'], { cwd: ROOT, encoding: 'utf8' });
    expect(built.status, built.stderr).toBe(0);
    const [block] = blocksOf(readFileSync(join(ROOT, 'docs/memory-bench.md'), 'utf8'), 'sh');
    for (const line of block!.trim().split('\n')) {
      const words = line.split(' ');
      const isBench = line.startsWith('npm run bench:memory -- ');
      const program = isBench ? 'dist-bench/bench/memory.js' : 'dist/main.js';
      const { status, stderr, stdout } = node(join(ROOT, program), ...words.slice(isBench ? 4 : 2));
      expect([line, status, stderr], stdout).toEqual([line, 0, expect.any(String)]);
      if (!isBench) expect(stdout).toContain('verified');
    }
    const outputs = readFileSync(join(folder, 'memory-report/outputs.jsonl'), 'utf8').trim().split('\n');
    expect(outputs).toHaveLength(3);
  });

  it('makes a report that no longer verifies once a figure is changed', () => {
    const file = join(folder, 'memory-report/report.json');
    expect(existsSync(file)).toBe(true);
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll('"1.0000"', '"0.9999"').replaceAll('"questions"', '"queries"'),
    );
    expect(node(PROGRAM, 'verify', file, '--key', join(folder, 'memory-report/report.jwk')).status).toBe(1);
  });
});

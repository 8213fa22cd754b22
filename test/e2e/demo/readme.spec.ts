import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../kit/markdown.js';
import { SHELL_PROGRAM } from '../../kit/program.js';
import { removeDataDir, SvcProcess } from '../processes/svc-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

let folder: string;
let svc: SvcProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-readme-'));
  svc = await SvcProcess.start(join(folder, '.svc'));
});
afterAll(async () => {
  await svc.stop();
  removeDataDir(join(folder, '.svc'));
  rmSync(folder, { recursive: true, force: true });
});

describe('README.md', () => {
  it('shows commands that do the job, against a fresh server', () => {
    const start = readme.indexOf('## The job in five steps');
    const job = readme.slice(start, readme.indexOf('\n## ', start));
    const blocks = blocksOf(job, 'sh');
    expect(blocks).toHaveLength(5);
    // The server of this test has another port, and `npx svc` is found only in the package's own directory.
    const script = blocks.join('\n').replaceAll('http://127.0.0.1:8090', svc.url).replaceAll('npx svc', SHELL_PROGRAM);
    expect(script).not.toContain('8090');
    const { status, stdout, stderr } = spawnSync('sh', ['-e'], {
      cwd: folder,
      input: script,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toContain('"status":"completed"');
    expect(stdout).toMatch(/"answerId":"readme-answer"/);
    expect(lines.at(-1)).toBe('verified');
  });

  it('links to files that are there', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)]
      .map(([, path]) => path!)
      .filter((path) => !path.includes('://'));
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

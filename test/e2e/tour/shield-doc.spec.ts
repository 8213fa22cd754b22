import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller } from '../../kit/app.js';
import { blocksOf } from '../../kit/markdown.js';
import { SHELL_PROGRAM } from '../../kit/program.js';
import { removeDataDir, SvcProcess } from '../processes/svc-process.js';

const ROOT = join(import.meta.dirname, '../../..');
const commandsOf = (file: string): string[] => blocksOf(readFileSync(join(ROOT, file), 'utf8'), 'sh');

let folder: string;
let svc: SvcProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-shield-doc-'));
  svc = await SvcProcess.start(join(folder, '.svc'));
});
afterAll(async () => {
  await svc.stop();
  removeDataDir(join(folder, '.svc'));
  rmSync(folder, { recursive: true, force: true });
});

function run(...blocks: string[]): { status: number | null; stdout: string; stderr: string } {
  const input = blocks
    .join('\necho\n')
    .replaceAll('http://127.0.0.1:8090', svc.url)
    .replaceAll('http://127.0.0.1:8091', svc.toolsUrl)
    .replaceAll('npx svc', SHELL_PROGRAM);
  expect(input).not.toMatch(/:(8090|8091)\b/);
  return spawnSync('sh', ['-e'], { cwd: folder, input, encoding: 'utf8', timeout: 60_000 });
}

const owner = () => caller(svc.url, svc.credentials.tenant_id, svc.credentials.api_key);

describe('docs/shield.md', () => {
  it('shows commands that do what they say, each answered with a success but the one to be refused', () => {
    const { status, stdout, stderr } = run(
      ...commandsOf('docs/shield.md').map((block) => block.replaceAll('curl -sS ', 'curl -sS --fail-with-body ')),
    );
    // Curl says that the ingest to be approved was refused.
    expect({ status, stderr, stdout }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^curl: \(22\) .*403\n$/),
    });
    expect(stdout).toMatch(/"ingestId":"[^"]+"/);
    expect(stdout).toMatch(/"action":"tip_platform"/);
  });

  it('leaves nothing switched on: no policy, no kill switch, no pinned definition', async () => {
    expect((await owner()('GET', '/v1/shield/policy')).body).toMatchObject({
      requireServerId: false,
      requireToolDigest: false,
      requireRegistered: false,
      requireUiIntegrity: false,
      spendWindow: null,
    });
    const { killSwitches } = (await owner()('GET', '/v1/shield/kill-switches')).body;
    expect(killSwitches.filter(({ liftedAt }: { liftedAt: string | null }) => liftedAt === null)).toEqual([]);
    const { servers } = (await owner()('GET', '/v1/shield/servers')).body;
    expect(servers).toEqual([expect.objectContaining({ serverId: 'svc-tools', toolDigests: [] })]);
  });

  it('leaves the first steps of README.md working on the same server', () => {
    const [ingest, status] = commandsOf('README.md').filter((block) => block.includes('/v1/ingest'));
    const { stdout, stderr } = run(ingest!, status!);
    expect(stderr).toBe('');
    expect(stdout).toContain('"status":"completed"');
  });
});

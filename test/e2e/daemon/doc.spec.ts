import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../kit/markdown.js';
import { SHELL_PROGRAM } from '../../kit/program.js';
import { removeDataDir, SvcProcess, until } from '../processes/svc-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'daemon.md'), 'utf8');
const blocks = (language: string): string[] => blocksOf(page, language);

let folder: string;
let svc: SvcProcess;
const opened = () => svc.log.find(({ app, msg }) => app === 'daemon' && msg === 'gRPC and MCP are open');
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-daemon-doc-'));
  svc = await SvcProcess.start(join(folder, '.svc'));
  // The API and the tool service are ready by now; the daemon opens its ports in its own time.
  await until('the ports of the daemon', () => opened() !== undefined);
});
afterAll(async () => {
  await svc.stop();
  removeDataDir(join(folder, '.svc'));
  rmSync(folder, { recursive: true, force: true });
});

describe('docs/daemon.md', () => {
  it('shows commands that work as they stand, against a fresh server', () => {
    const script = blocks('sh')
      .join('\necho\n')
      .replaceAll('http://127.0.0.1:14800', svc.credentials.daemon_url)
      .replaceAll('npx svc', SHELL_PROGRAM)
      .replaceAll('curl -sS ', 'curl -sS --fail-with-body ');
    const { status, stdout, stderr } = spawnSync('sh', ['-e'], {
      cwd: folder,
      input: script,
      encoding: 'utf8',
      timeout: 60_000,
    });
    // The stream of events is left after two seconds, as the page says.
    expect({ status, stdout, stderr: stderr.replace(/^curl: \(28\).*\n/m, '') }).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(stdout.match(/^verified$/gm)).toHaveLength(3);
    for (const expected of [
      '"value":"on 1 February 1844"',
      '"total_visible":2',
      '"deleted":true',
      '"hop_distance":1',
      '"error_code":"OK"',
    ])
      expect(stdout).toContain(expected);
  });

  it('shows the set-up of an MCP client that works', async () => {
    const { mcpServers } = JSON.parse(blocks('json mcp')[0]!);
    const { url, headers } = mcpServers['svc-memory'];
    expect(url).toBe('http://127.0.0.1:14801/mcp');
    const client = new Client({ name: 'reader', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const { mcp } = opened()!;
    await client.connect(new StreamableHTTPClientTransport(new URL(mcp as string), { requestInit: { headers } }));
    const stored: any = await client.callTool({
      name: 'store_fact',
      arguments: { entity: 'e', key: 'k', value: 'by an agent' },
    });
    expect(stored.structuredContent).toMatchObject({ actor: 'ada', value: 'by an agent' });
    await client.close();
  });
});

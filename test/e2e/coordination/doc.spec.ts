import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOVES } from '../../../src/modules/coordination/work/moves.rules.js';
import { removeDataDir, SvcProcess, until } from '../processes/svc-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'coordination.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block!);

let folder: string;
let svc: SvcProcess;
const opened = () => svc.log.find(({ app, msg }) => app === 'daemon' && msg === 'gRPC and MCP are open');
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-coordination-doc-'));
  const given = [...blocks('text')[0]!.matchAll(/(SVCD_\w+)=(\w+)/g)].map(([, name, value]) => [name!, value!]);
  svc = await SvcProcess.start(join(folder, '.svc'), { environment: Object.fromEntries(given) });
  await until('the ports of the daemon', () => opened() !== undefined);
});
afterAll(async () => {
  await svc.stop();
  removeDataDir(join(folder, '.svc'));
  rmSync(folder, { recursive: true, force: true });
});

describe('docs/coordination.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const program = `'${process.execPath}' '${join(ROOT, 'dist', 'main.js')}'`;
    const script = blocks('sh')
      .join('\n')
      .replaceAll('http://127.0.0.1:14800', svc.credentials.daemon_url)
      .replaceAll('npx svc', program)
      .replaceAll('curl -sS ', 'curl -sS --fail-with-body ');
    const { status, stdout, stderr } = spawnSync('sh', ['-e'], {
      cwd: folder,
      input: script,
      encoding: 'utf8',
      timeout: 240_000,
    });
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    // What the page shows as refused is, and nothing else.
    expect(stderr.match(/^curl: .*$/gm)).toEqual([expect.stringContaining('409'), expect.stringContaining('403')]);
    expect(stderr).toContain('held by others');
    const promised = blocks('sh').flatMap((block) =>
      [...block.matchAll(/\| field .* # ([\w ]+)/g)].map(([, text]) => text!),
    );
    const lines = stdout.split('\n');
    expect(promised).toHaveLength(15);
    // Each value that a comment promises is printed, in this order.
    let from = 0;
    for (const text of promised) {
      const at = lines.indexOf(text, from);
      expect({ text, isPrinted: at >= from, stdout }).toMatchObject({ text, isPrinted: true });
      from = at + 1;
    }
    expect(lines.filter((line) => line === 'refused')).toHaveLength(1);
    expect(lines.filter((line) => line === 'committed')).toHaveLength(2);
    expect(stdout).toContain('FENCE_STALE');
    expect(stdout).toMatch(/gate\.approved .*work\.claimed .*work\.created/);
  });

  it('has the table of moves that the server keeps', () => {
    const work = readFileSync(join(ROOT, 'docs', 'work.md'), 'utf8');
    const rows = [...work.matchAll(/^\| `(\w+)` +\| ([^|]*)\|/gm)].map(([, from, tos]) => [
      from,
      [...tos!.matchAll(/`(\w+)`/g)].map(([, to]) => to),
    ]);
    expect(Object.fromEntries(rows)).toEqual(MOVES);
  });

  it('shows the set-up of an MCP client that works, with the tools that it names', async () => {
    const { headers } = JSON.parse(blocks('json mcp')[0]!).mcpServers['svc-coordination'];
    const client = new Client({ name: 'reader', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const address = new URL(opened()!['mcp'] as string);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    const { tools } = await client.listTools();
    const named = /same as tools: (.*)\. Each agent/.exec(page)![1]!.split(/, | and /);
    expect(named).toHaveLength(10);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
    const listed: any = await client.callTool({ name: 'list_work', arguments: {} });
    expect(listed.isError ?? false).toBe(false);
    await client.close();
  });
});

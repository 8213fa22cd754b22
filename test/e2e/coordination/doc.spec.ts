import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOVES } from '../../../src/modules/coordination/work/moves.rules.js';
import { ShellPage } from '../processes/shell-page.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const page = new ShellPage('coordination.md');
beforeAll(() => page.start());
afterAll(() => page.stop());

describe('docs/coordination.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, () => {
    const { stdout, stderr } = page.run('--fail-with-body');
    // What the page shows as refused is, and nothing else.
    expect(stderr.match(/^curl: .*$/gm)).toEqual([expect.stringContaining('409'), expect.stringContaining('403')]);
    expect(stderr).toContain('held by others');
    page.expectPromised(stdout, 15);
    const lines = stdout.split('\n');
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
    const { headers } = JSON.parse(page.blocks('json mcp')[0]!).mcpServers['svc-coordination'];
    const client = new Client({ name: 'reader', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const address = new URL(page.opened()!['mcp'] as string);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    const { tools } = await client.listTools();
    const named = /same as tools: (.*)\. Each agent/.exec(page.text)![1]!.split(/, | and /);
    expect(named).toHaveLength(10);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
    const listed: any = await client.callTool({ name: 'list_work', arguments: {} });
    expect(listed.isError ?? false).toBe(false);
    await client.close();
  });
});

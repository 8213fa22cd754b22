import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller, send } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';
import { NatsServer } from '../../medium/outbox/nats-server.js';
import { removeDataDir, SvcProcess, until } from '../processes/svc-process.js';
import { must } from './given.js';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8');

let folder: string;
let nats: NatsServer;
let svc: SvcProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-agents-'));
  nats = await NatsServer.start();
  const [, command] = /^```sh start\n(.*) npm start$/m.exec(page)!;
  const environment = Object.fromEntries(command!.split(' ').map((one) => one.split('=') as [string, string]));
  expect(Object.keys(environment)).toEqual(['FEATURE_SELF_SIGNUP', 'SVC_NATS_URL']);
  svc = await SvcProcess.start(join(folder, '.svc'), { environment: { ...environment, SVC_NATS_URL: nats.url } });
  mkdirSync(join(folder, 'bin'));
  const shim = join(import.meta.dirname, 'nats-cli.mjs');
  writeFileSync(join(folder, 'bin', 'nats'), `#!/bin/sh\nexec '${process.execPath}' '${shim}' "$@"\n`, { mode: 0o755 });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await svc.stop();
  await nats.close();
  removeDataDir(join(folder, '.svc'));
  rmSync(folder, { recursive: true, force: true });
});

/** Blocks of the page by what their fence says, with what is different here in its place. */
const blocks = (fence: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${fence}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) =>
    block!
      .replaceAll('http://127.0.0.1:8090', svc.url)
      .replaceAll('http://127.0.0.1:8091', svc.toolsUrl)
      .replaceAll('/path/to/svc/.svc', join(folder, '.svc'))
      .replaceAll('/path/to/svc', ROOT)
      .replaceAll('svc_key_...', svc.credentials.api_key)
      .replaceAll('npx svc', `'${process.execPath}' '${PROGRAM}'`),
  );

it('shows commands that print what it says they print', { timeout: 180_000 }, () => {
  const script = blocks('sh').join('\n');
  expect(script).not.toMatch(/:(8090|8091|4222)\b/);
  const { status, stdout, stderr } = spawnSync('sh', ['-e'], {
    cwd: folder,
    input: script,
    encoding: 'utf8',
    timeout: 150_000,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      NATS_URL: nats.url,
      // Readers who keep the ports of the page need none of these.
      SVC_API_PORT: String(svc.port),
      SVC_TOOLS_PORT: String(svc.toolsPort),
      SVC_LOG_LEVEL: 'silent',
    },
  });
  const promised = script.split('\n').flatMap((line) => / # (\S.*)$/.exec(line)?.[1] ?? []);
  expect(promised.length).toBeGreaterThan(20);
  const errors = svc.log.filter(({ level }) => level === 'error');
  const printed = stdout.trim().split('\n');
  expect({ status, stderr, printed, errors }).toEqual({ status: 0, stderr: '', printed: promised, errors: [] });
});

describe('the set-up of a client', () => {
  /** What a client makes of the page's JSON. */
  function transportOf(fence: string): Transport {
    const { svc: server } = JSON.parse(blocks(`json ${fence}`)[0]!).mcpServers;
    if (server.type !== 'http') return new StdioClientTransport({ ...server, stderr: 'ignore' });
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } });
  }

  it.each(['http', 'bearer', 'stdio'])('by %s finds the tools and calls them', { timeout: 60_000 }, async (fence) => {
    for (const mode of ['auto', 'legacy'] as const) {
      const client = new Client({ name: 'reader', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(transportOf(fence));
      const { tools } = await client.listTools();
      expect([mode, tools.length]).toEqual([mode, 15]);
      const found = await client.callTool({ name: 'query_vault', arguments: { query: 'lighthouse' } });
      expect(found.structuredContent).toMatchObject({ results: [{ docId: 'skerryvore' }] });
      await client.close();
    }
  });
});

it('shows a client that waits for an approval', { timeout: 60_000 }, async () => {
  const [source] = blocks('js tip.mjs');
  writeFileSync(join(folder, 'tip.mjs'), source!);
  const child = spawn(process.execPath, ['tip.mjs'], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until('the question', () => said.includes('Press Enter') || child.exitCode !== null);
  const request = /The request is ([0-9a-f-]{36})/.exec(said)?.[1];
  const second = Object.fromEntries(
    readFileSync(join(folder, 'second.txt'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]),
  );
  const owner = caller(svc.url, second['x-tenant-id']!, second['x-api-key']!);
  await must(owner, 'POST', `/v1/shield/approvals/${request}/resolve`, { decision: 'approve', reason: 'Yes' });
  child.stdin.write('\n');
  expect([await ended, said.trim().split('\n').at(-1)]).toEqual([0, 'Tipped 120 credits']);
});

describe('the tables', () => {
  it('name the codes that there are', async () => {
    const { tenant_id: tenantId, api_key: apiKey } = svc.credentials;
    const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
    const { body } = await send(svc.toolsUrl, 'GET', '/capabilities', undefined, headers);
    const documented = [...page.matchAll(/^\| (-32\d{3}) \| (\w+) /gm)].map(([, code, name]) => ({
      code: Number(code),
      name,
    }));
    expect(documented).toEqual(body.errors);
  });

  it('are linked to places that are there', () => {
    const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!.split('#') as [string, string?]);
    for (const [file, anchor] of links) {
      const text = readFileSync(join(ROOT, 'docs', file), 'utf8');
      const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      );
      if (anchor) expect([file, anchors]).toEqual([file, expect.arrayContaining([anchor])]);
    }
    expect(links.length).toBeGreaterThan(3);
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/mcp-clients.md'), 'utf8');
/** Each command of the page with what it prints. */
const COMMANDS = [...page.matchAll(/```sh config\nsvc (.*)\n```\n\n```\w+ prints\n([\s\S]*?)\n```/g)].map(
  ([, command, printed]) => [command!, printed!] as const,
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recipes-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A command in a directory without settings. */
const svc = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { cwd: folder, env, encoding: 'utf8' });
const json = (args: string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = svc(['mcp', 'config', ...args, '--json'], env);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as { content: string; variables: { variable: string }[]; transport: string };
};

describe('the page', () => {
  it('shows every client', () => {
    const clients = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'inspector'];
    expect(COMMANDS.map(([command]) => command.split(' ')[2])).toEqual(clients);
  });

  it.each(COMMANDS)('says what svc %s prints', (command, printed) => {
    const { status, stdout } = svc(command.split(' '));
    const shown = stdout
      .replaceAll(process.execPath, '/path/to/svc/node_modules/node/bin/node')
      .replaceAll(ROOT, '/path/to/svc')
      .replaceAll(folder, '/path/to/svc');
    // The page is formatted, which is no matter to JSON.
    const meant = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text.trimEnd());
    expect([status, meant(shown)]).toEqual([0, meant(printed)]);
  });
});

it('refuses what does not go together, and says what does', () => {
  const refused = (...args: string[]) => {
    const { status, stdout, stderr } = svc(['mcp', 'config', ...args]);
    expect(stdout).toBe('');
    return [status, stderr];
  };
  expect(refused('emacs')).toEqual([2, expect.stringContaining('Allowed choices are claude-code')]);
  expect(refused('codex', '--http', '--stdio')).toEqual([2, expect.stringContaining('exclude each other')]);
  expect(refused('codex', '--stdio', '--daemon')).toEqual([2, expect.stringContaining('leave it out')]);
  expect(refused('codex', '--oauth')).toEqual([1, expect.stringContaining('SVC_OIDC_ISSUER')]);
  expect(refused('claude-desktop', '--http')).toEqual([1, expect.stringContaining('SVC_OIDC_ISSUER')]);
  expect(refused('codex', '--with-key')).toEqual([1, expect.stringContaining('svc key create default')]);
  expect(refused('codex', '--tool-set', 'none')).toEqual([2, expect.stringContaining('Allowed choices are')]);
});

it('names the public address, and leaves the key out where people sign in', () => {
  const env = {
    SVC_OIDC_ISSUER: 'https://id.example.org',
    SVC_TOOLS_PUBLIC_URL: 'https://svc.example.org/',
    SVCD_MCP_PUBLIC_URL: 'https://memory.example.org',
  };
  const { content, variables } = json(['claude-code', '--oauth', '--tool-set', 'memory'], env);
  expect(variables).toEqual([]);
  expect(JSON.parse(content)).toEqual({
    mcpServers: { svc: { type: 'http', url: 'https://svc.example.org/mcp?tool_set=memory' } },
  });
  expect(json(['claude-desktop', '--http', '--daemon'], env).content).toBe('https://memory.example.org/mcp');
});

describe('what it prints for a program', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('is run by the official client, which lists the tools of the set', async () => {
    const { tenantId, apiKey } = api.tenant;
    const env = {
      SVC_DATABASE_URL: api.database.url,
      SVC_API_URL: api.url,
      MCP_STDIO_TENANT_ID: tenantId,
      MCP_STDIO_API_KEY: apiKey,
    };
    const asked = ['claude-code', '--stdio', '--tenant', tenantId, '--tool-set', 'memory'];
    const { content, variables } = json(asked, env);
    expect(content).not.toContain(apiKey);
    expect(variables.map(({ variable }) => variable)).toEqual(['MCP_STDIO_API_KEY', 'SVC_DATABASE_URL']);
    const { mcpServers } = JSON.parse(json([...asked, '--with-key'], env).content);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport({ ...mcpServers.svc, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('store_fact');
    expect(tools.map(({ name }) => name)).not.toContain('query_vault');
    await client.close();
  });
});

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { MCP_CLIENTS, recipeFor, secretsLeftOut, type McpConnection } from './recipes.rules.js';

const KEY = { variable: 'SVC_API_KEY', about: 'The API key of the tenant acme' };
const HTTP: McpConnection = {
  kind: 'http',
  url: 'https://svc.example.org/mcp?tool_set=memory',
  headers: { 'x-tenant-id': 'acme', 'x-api-key': KEY },
};
const STDIO: McpConnection = {
  kind: 'stdio',
  command: '/opt/node',
  args: ["/opt/o'clock/main.js", 'stdio'],
  env: { MCP_STDIO_TENANT_ID: 'acme', MCP_STDIO_API_KEY: { ...KEY, variable: 'MCP_STDIO_API_KEY' } },
};
const OPEN: McpConnection = { kind: 'http', url: 'https://svc.example.org/mcp', headers: {} };
const withKey = (connection: McpConnection): McpConnection =>
  connection.kind === 'http'
    ? { ...connection, headers: { ...connection.headers, 'x-api-key': { ...KEY, value: 'svc_key_1' } } }
    : { ...connection, env: { ...connection.env, MCP_STDIO_API_KEY: { ...KEY, value: 'svc_key_1' } } };
const contentOf = (...parameters: Parameters<typeof recipeFor>) => recipeFor(...parameters).content;
const jsonOf = (...parameters: Parameters<typeof recipeFor>): unknown => JSON.parse(contentOf(...parameters));

/** The words that a shell makes of a command line, with these variables. */
const wordsOf = (line: string, env: Record<string, string> = {}): string[] =>
  execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\n' "$word"; done`], { env, encoding: 'utf8' })
    .split('\n')
    .slice(0, -1);

describe('Claude Code', () => {
  it('is given .mcp.json, in which it expands variables', () => {
    expect(jsonOf('claude-code', HTTP)).toEqual({
      mcpServers: {
        svc: { type: 'http', url: HTTP.url, headers: { 'x-tenant-id': 'acme', 'x-api-key': '${SVC_API_KEY}' } },
      },
    });
    expect(jsonOf('claude-code', STDIO)).toEqual({
      mcpServers: {
        svc: {
          ...{ type: 'stdio', command: '/opt/node', args: ["/opt/o'clock/main.js", 'stdio'] },
          env: { MCP_STDIO_TENANT_ID: 'acme', MCP_STDIO_API_KEY: '${MCP_STDIO_API_KEY}' },
        },
      },
    });
  });

  it('or its command, which the shell hands on as it is', () => {
    const env = { SVC_API_KEY: 'not yet', MCP_STDIO_API_KEY: 'not yet' };
    expect(wordsOf(recipeFor('claude-code', HTTP).command!, env)).toEqual([
      ...['claude', 'mcp', 'add', '--scope', 'project', '--transport', 'http', 'svc', HTTP.url],
      ...['--header', 'x-tenant-id: acme', '--header', 'x-api-key: ${SVC_API_KEY}'],
    ]);
    expect(wordsOf(recipeFor('claude-code', STDIO).command!, env)).toEqual([
      ...[
        'claude',
        'mcp',
        'add',
        '--scope',
        'project',
        '--env',
        'MCP_STDIO_TENANT_ID=acme',
        '--env',
        'MCP_STDIO_API_KEY=${MCP_STDIO_API_KEY}',
      ],
      ...['--transport', 'stdio', 'svc', '--', '/opt/node', "/opt/o'clock/main.js", 'stdio'],
    ]);
  });
});

describe('Claude Desktop', () => {
  it('is given a program, with brackets where it cannot name a variable', () => {
    expect(jsonOf('claude-desktop', STDIO)).toEqual({
      mcpServers: {
        svc: {
          ...{ command: '/opt/node', args: ["/opt/o'clock/main.js", 'stdio'] },
          env: { MCP_STDIO_TENANT_ID: 'acme', MCP_STDIO_API_KEY: '<MCP_STDIO_API_KEY>' },
        },
      },
    });
  });

  it('or the address of a connector', () => {
    expect(recipeFor('claude-desktop', OPEN)).toEqual({ content: OPEN.url });
  });
});

describe('Cursor', () => {
  it('is given mcp.json, in which it resolves variables', () => {
    expect(jsonOf('cursor', HTTP)).toEqual({
      mcpServers: { svc: { url: HTTP.url, headers: { 'x-tenant-id': 'acme', 'x-api-key': '${env:SVC_API_KEY}' } } },
    });
  });

  it('or a link with the same', () => {
    const link = new URL(recipeFor('cursor', HTTP).link!);
    expect([link.protocol, link.host, link.pathname, link.searchParams.get('name')]).toEqual([
      ...['cursor:', 'anysphere.cursor-deeplink', '/mcp/install', 'svc'],
    ]);
    const { mcpServers } = jsonOf('cursor', HTTP) as { mcpServers: { svc: object } };
    expect(JSON.parse(Buffer.from(link.searchParams.get('config')!, 'base64').toString())).toEqual(mcpServers.svc);
  });
});

it('Visual Studio Code is given mcp.json, and asks for what is secret', () => {
  expect(jsonOf('vscode', HTTP)).toEqual({
    inputs: [{ type: 'promptString', id: 'svc-api-key', description: KEY.about, password: true }],
    servers: {
      svc: { type: 'http', url: HTTP.url, headers: { 'x-tenant-id': 'acme', 'x-api-key': '${input:svc-api-key}' } },
    },
  });
  expect(jsonOf('vscode', OPEN)).toEqual({ servers: { svc: { type: 'http', url: OPEN.url } } });
});

describe('Codex', () => {
  it('is given TOML that names variables', () => {
    expect(contentOf('codex', HTTP).split('\n')).toEqual([
      '[mcp_servers.svc]',
      'url = "https://svc.example.org/mcp?tool_set=memory"',
      'http_headers = { "x-tenant-id" = "acme" }',
      'env_http_headers = { "x-api-key" = "SVC_API_KEY" }',
    ]);
    expect(contentOf('codex', STDIO).split('\n')).toEqual([
      '[mcp_servers.svc]',
      'command = "/opt/node"',
      `args = ["/opt/o'clock/main.js", "stdio"]`,
      'env = { "MCP_STDIO_TENANT_ID" = "acme" }',
      'env_vars = ["MCP_STDIO_API_KEY"]',
    ]);
  });

  it('signs in where there is no key', () => {
    expect(contentOf('codex', OPEN)).toBe('[mcp_servers.svc]\nurl = "https://svc.example.org/mcp"');
  });
});

it('the Inspector is given a command, in which the shell puts the variables', () => {
  const start = ['npx', '@modelcontextprotocol/inspector', '--cli'];
  expect(wordsOf(contentOf('inspector', HTTP), { SVC_API_KEY: 'a key' })).toEqual([
    ...[...start, HTTP.url, '--transport', 'http', '--header', 'x-tenant-id: acme'],
    ...['--header', 'x-api-key: a key', '--method', 'tools/list'],
  ]);
  expect(wordsOf(contentOf('inspector', STDIO), { MCP_STDIO_API_KEY: 'a key' })).toEqual([
    ...[...start, '-e', 'MCP_STDIO_TENANT_ID=acme', '-e', 'MCP_STDIO_API_KEY=a key'],
    ...['/opt/node', "/opt/o'clock/main.js", 'stdio', '--method', 'tools/list'],
  ]);
});

it.each(MCP_CLIENTS)('%s is shown a key only where it is asked for', (client) => {
  for (const connection of [HTTP, STDIO]) {
    if (client === 'claude-desktop' && connection.kind === 'http') continue;
    expect(secretsLeftOut(connection)).toHaveLength(1);
    expect(secretsLeftOut(withKey(connection))).toEqual([]);
    const shown = recipeFor(client, withKey(connection)).content;
    expect(shown).toContain('svc_key_1');
    expect(shown).not.toMatch(/\$\{|SVC_API_KEY"? ?\]|<MCP_STDIO|env_vars|env_http_headers|promptString/);
  }
});

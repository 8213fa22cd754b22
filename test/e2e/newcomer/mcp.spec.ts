import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/program.js';
import { NewcomersFolder } from './first-answer.js';

const run = promisify(execFile);

let folder: NewcomersFolder;
beforeAll(async () => {
  folder = await NewcomersFolder.open();
});
afterAll(() => folder.close());

/** Runs a verb of svc in the folder. */
async function runSvc(...args: string[]): Promise<string> {
  const { api_url, daemon_url } = folder.svc.credentials;
  const env = { PATH: process.env['PATH'], SVC_API_URL: api_url, SVC_DAEMON_URL: daemon_url };
  return (await run(process.execPath, [PROGRAM, ...args], { cwd: folder.path, env })).stdout;
}

it('leads from a PDF to a proved answer by a client of MCP, set up as the command prints', async () => {
  await runSvc('ingest', 'manual.pdf', '--corpus', 'manuals');
  const printed = JSON.parse(await runSvc('mcp', 'config', 'claude-desktop', '--with-key')) as {
    mcpServers: { svc: { command: string; args: string[]; env: Record<string, string> } };
  };
  const { command, args, env } = printed.mcpServers.svc;
  const client = new Client({ name: 'newcomer', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, env, cwd: folder.path }));
  try {
    const call = async (name: string, given: Record<string, unknown>): Promise<any> => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: given });
      expect(isError, JSON.stringify(content)).not.toBe(true);
      return structuredContent;
    };
    const found = await call('search', { query: 'When is the pump started?' });
    const cites = [found.results[0].id];
    const answer = await call('record_answer', { text: 'Before the valve is opened.', cites, prove: 'audit' });
    expect(answer).toMatchObject({ verdict: 'holds' });
    expect(await call('prove', { id: answer.id })).toMatchObject({ verdict: 'holds' });
  } finally {
    await client.close();
  }
});

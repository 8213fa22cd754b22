import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/program.js';
import { isRunning, removeDataDir, SvcProcess, until } from './svc-process.js';

let folder: string;
let svc: SvcProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-stdio-'));
  svc = await SvcProcess.start(join(folder, '.svc'));
});
afterAll(async () => {
  if (!svc.hasEnded) await svc.stop();
  removeDataDir(svc.dataDir);
  rmSync(folder, { recursive: true, force: true });
});

/** A real `svc stdio`, by default with the key of the running svc. */
function stdio(environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM, 'stdio'], {
    env: {
      PATH: process.env['PATH'],
      SVC_DATA_DIR: svc.dataDir,
      SVC_API_PORT: String(svc.port),
      MCP_STDIO_API_KEY: svc.credentials.api_key,
      ...environment,
    },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? '')),
  );
  return {
    child,
    ended,
    /** Its lines on stdout; one that is no JSON fails. */
    answers: (): any[] =>
      said.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ...{ stdout: () => said.stdout, stderr: () => said.stderr },
    ask: (line: unknown) => child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
  };
}

const call = (id: number, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });

describe('svc stdio', { timeout: 120_000 }, () => {
  it('answers each line on stdout, where nothing else is, and ends with its input when all is answered', async () => {
    const { child, ended, answers, stderr, ask } = stdio({ SVC_LOG_LEVEL: 'trace' });
    for (let id = 1; id <= 20; id++) ask(call(id, 'query_vault', { query: 'lighthouse' }));
    ask('{"jsonrpc": "2.0", "id": 21, ');
    child.stdin.end();
    expect(await ended).toBe(0);
    const byId = new Map(answers().map((answer) => [answer.id, answer]));
    expect(byId.size).toBe(21);
    for (let id = 1; id <= 20; id++) expect(byId.get(id)).toMatchObject({ jsonrpc: '2.0', result: { results: [] } });
    expect(byId.get(null)).toMatchObject({ error: { code: -32700 } });
    expect(stderr()).toContain('"app":"stdio"');
  });

  it('asks for a key, by the name of its setting', async () => {
    const { ended, stdout, stderr } = stdio({ MCP_STDIO_API_KEY: '' });
    expect(await ended).toBe(1);
    expect([stdout(), stderr()]).toEqual(['', expect.stringMatching(/^svc: MCP_STDIO_API_KEY is not set\./)]);
  });

  it('calls for the configured tenant, with its key alone', async () => {
    const others: Record<string, string>[] = [
      { MCP_STDIO_TENANT_ID: 'other' },
      { MCP_STDIO_API_KEY: 'svc_key_0123456789ab_wrong' },
    ];
    for (const other of others) {
      const { child, ended, answers, ask } = stdio(other);
      ask(call(1, 'query_vault', { query: 'lighthouse' }));
      child.stdin.end();
      expect(await ended).toBe(0);
      expect(answers()).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: -32000 }) })]);
    }
  });

  it('starts nothing: without a running svc it says what to do', async () => {
    const { ended, stdout, stderr } = stdio({ SVC_DATA_DIR: join(folder, 'never') });
    expect(await ended).toBe(1);
    expect([stdout(), stderr()]).toEqual(['', expect.stringContaining('start it first ("svc start")')]);
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('ends on SIGTERM while its input is open, and keeps no database running', async () => {
    const postgres = svc.postgresPid;
    const { child, ended, answers, ask } = stdio();
    ask(call(1, 'tools/list'));
    await until('the answer', () => answers().length === 1);
    expect(await svc.stop()).toBe(0);
    await until('the end of PostgreSQL', () => !isRunning(postgres));
    ask(call(2, 'query_vault', { query: 'lighthouse' }));
    await until('the second answer', () => answers().length === 2);
    expect(answers()[1]).toMatchObject({ id: 2, error: { data: { status: 503, retryable: true } } });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

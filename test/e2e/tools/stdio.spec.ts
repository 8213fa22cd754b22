import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { stdioCommand } from './transports.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** A real `svc stdio`, and what it wrote. */
function run(env: Record<string, string> = {}) {
  const { tenantId, apiKey } = api.tenant;
  const address = { toolsUrl: '', apiUrl: api.url, databaseUrl: api.database.url, tenantId, apiKey };
  const program = stdioCommand(address);
  const child: ChildProcess = spawn(program.command, program.args, { env: { ...program.env, ...env } });
  const written = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, written, ended };
}
const balance = (id: number) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'get_credit_balance', params: { agent_id: 'a' } })}\n`;
const idsOf = (stdout: string): number[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((one) => JSON.parse(one).id);

it('nothing but answers is on standard output, whatever is logged; at the end of the input all are there', async () => {
  const { child, written, ended } = run({ SVC_LOG_LEVEL: 'trace' });
  const ids = Array.from({ length: 50 }, (_, n) => n);
  child.stdin!.end(ids.map(balance).join(''));
  expect(await ended).toBe(0);
  expect(idsOf(written.stdout).sort((a, b) => a - b)).toEqual(ids);
  expect(written.stderr).toContain('"msg":"tool call"');
  expect(written.stderr).not.toContain(api.tenant.apiKey);
});

it('SIGTERM ends it, with what it had taken answered', async () => {
  const { child, written, ended } = run();
  child.stdin!.write(balance(1));
  await expect.poll(() => written.stdout, { timeout: 20_000 }).toContain('"id":1');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(idsOf(written.stdout)).toEqual([1]);
});

it('without a key it does not start, and says what is missing', async () => {
  const { child, written, ended } = run({ MCP_STDIO_API_KEY: '' });
  child.stdin!.on('error', () => undefined);
  expect(await ended).toBe(1);
  expect([written.stdout, written.stderr]).toEqual(['', expect.stringContaining('MCP_STDIO_API_KEY is not set')]);
});

it('it ends when its reader closes the pipe', async () => {
  const { child, ended } = run();
  child.stdin!.on('error', () => undefined);
  child.stdin!.write(balance(1));
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  child.stdin!.write(balance(2));
  expect(await ended).toBe(0);
});

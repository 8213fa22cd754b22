import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { send } from '../../kit/app.js';
import { emptyDatabase } from '../../kit/database.js';
import { until } from './svc-process.js';
import { freePort } from '../../kit/free-port.js';
import { PROGRAM } from '../../kit/program.js';
import { ServerProcess } from '../../kit/server-process.js';

const API_KEY = 'chosen by the test, thirty-two long';
/** As in a container: every address, nothing generated. */
const PRODUCTION = {
  NODE_ENV: 'production',
  SVC_SESSION_SECRET: 'of the test, thirty-two characters long',
  SVC_BOOTSTRAP_API_KEY: API_KEY,
  SVC_TOOLS_HOST: '0.0.0.0',
  SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
  SVC_SHUTDOWN_DELAY_SECS: '0',
};

let folder: string;
let database: Awaited<ReturnType<typeof emptyDatabase>>;
let api: ServerProcess;
let tools: ChildProcess;
let url: string;
let said = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-foreground-'));
  database = await emptyDatabase();
  api = await ServerProcess.at(database.url, join(folder, 'api'), PRODUCTION);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  tools = spawn(process.execPath, [PROGRAM, 'start', 'tools'], {
    env: {
      PATH: process.env['PATH'],
      ...PRODUCTION,
      SVC_DATABASE_URL: database.url,
      SVC_DATA_DIR: join(folder, 'tools'),
      SVC_TOOLS_PORT: String(port),
      SVC_API_URL: api.url,
      SVC_SHUTDOWN_DRAIN_SECS: '5',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [tools.stdout!, tools.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
});
afterAll(async () => {
  tools.kill('SIGKILL');
  await api.stop('SIGKILL');
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const hasEnded = () => tools.exitCode !== null || tools.signalCode !== null;
const readiness = () => send(url, 'GET', '/readyz').catch(() => undefined);

async function untilReady(status: number): Promise<any> {
  await until(`readiness ${status}`, async () => hasEnded() || (await readiness())?.status === status);
  expect([hasEnded(), said]).toEqual([false, expect.any(String)]);
  return (await readiness())?.body.checks.readyz;
}

const query = () =>
  send(
    url,
    'POST',
    '/rpc',
    { jsonrpc: '2.0', id: 1, method: 'query_vault', params: { query: 'anything' } },
    { 'x-tenant-id': 'default', 'x-api-key': API_KEY },
  );

describe('svc start tools', { timeout: 120_000 }, () => {
  it('migrates an empty database, and waits for nobody: without the API it is there and says so', async () => {
    const fault = await untilReady(503);
    expect(fault).toEqual({ status: 'fail', reason: 'api: the API behind it (SVC_API_URL) does not answer' });
    expect((await send(url, 'GET', '/healthz')).status).toBe(200);
    const { status, body } = await query();
    expect([status, body.error.data]).toEqual([200, expect.objectContaining({ status: 503, retryable: true })]);
  });

  it('is ready when the API is, however often that goes and comes back, and stays the same process', async () => {
    for (let round = 1; round <= 2; round++) {
      await api.start();
      await untilReady(200);
      expect((await query()).body.result.results).toEqual([]);
      await api.stop('SIGKILL');
      await untilReady(503);
      expect((await query()).body.error.data).toMatchObject({ status: 503, retryable: true });
    }
  });

  it('ends with 0 on SIGTERM', async () => {
    const ended = new Promise((resolve) => tools.once('exit', resolve));
    tools.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

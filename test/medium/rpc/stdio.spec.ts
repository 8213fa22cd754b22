import { PassThrough } from 'node:stream';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openOnPipe } from '../../../src/apps/tools.app.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import type { StdioTransport } from '../../../src/rpc/transports/stdio.transport.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { HoldingProxy } from './holding-proxy.js';
import { line } from './line-client.js';
import { envelope } from './mcp-clients.js';

const MAX_LINE = 4_096;
const soon = { timeout: 20_000, interval: 20 };
const dataDir = mkdtempSync(join(tmpdir(), 'svc-stdio-'));
let api: TestApi;
let proxy: HoldingProxy;
beforeAll(async () => {
  api = await startApi();
  proxy = await HoldingProxy.before(api.url);
});
afterAll(async () => {
  await proxy.close();
  await api.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Pipe {
  input: PassThrough;
  output: PassThrough;
  transport: StdioTransport;
  /** Resolves when the transport has ended. */
  ended: Promise<void>;
  /** All answers that were written so far. */
  answers: any[];
}
const apps: INestApplication[] = [];
afterEach(async () => {
  proxy.letAllGo();
  for (const app of apps.splice(0)) await app.close();
});

async function open({ apiKey = api.tenant.apiKey, reads = true } = {}): Promise<Pipe> {
  const settings = loadSettings({
    NODE_ENV: 'test',
    SVC_DATA_DIR: dataDir,
    SVC_API_URL: proxy.url,
    SVC_LOG_LEVEL: 'silent',
    SVC_TOOLS_RATE_LIMIT: '0',
    SVC_TOOLS_MAX_BODY_BYTES: String(MAX_LINE),
    SVC_DATABASE_CONNECT_TIMEOUT_MS: '15000',
  });
  const parts = {
    settings,
    address: { ownerUrl: api.database.url },
    log: makeLog(settings, 'stdio', true),
    metrics: new Metrics(),
  };
  const [input, output] = [new PassThrough(), new PassThrough()];
  const credential = { tenantId: api.tenant.tenantId, apiKey };
  const { app, transport } = await openOnPipe(parts, { input, output, credential });
  apps.push(app);
  const pipe: Pipe = { input, output, transport, ended: transport.run(), answers: [] };
  if (reads) collect(pipe);
  return pipe;
}

/** Anything on the output that is no JSON on a line of its own fails. */
function collect({ output, answers }: Pipe): void {
  let begun = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (begun + text).split('\n');
    begun = lines.pop()!;
    answers.push(...lines.map((one) => JSON.parse(one)));
  });
}

const balance = (id: unknown, agent = 'a') => line(id, 'get_credit_balance', { agent_id: agent });
const code = (id: unknown, code: number) => expect.objectContaining({ id, error: expect.objectContaining({ code }) });

describe('the pipe', () => {
  it('answers each payload line with a line, and continues after an invalid one', async () => {
    const { input, ended, answers } = await open();
    input.write(`\n  \r\n{"half":\n${balance(1)}\n[${balance(2)},${balance(3)}]\n`);
    input.write('{"jsonrpc":"2.0","method":"get_credit_balance","params":{"agent_id":"a"}}\n');
    input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    input.end(`${'x'.repeat(MAX_LINE + 1)}\n${balance('last')}`);
    await ended;
    const idsOf = (answer: any) => (Array.isArray(answer) ? answer.map(({ id }) => id) : answer.id);
    expect(answers.map((answer) => JSON.stringify(idsOf(answer))).sort()).toEqual(
      ['"last"', '1', '[2,3]', 'null', 'null', 'null'].sort(),
    );
    expect(answers.flatMap((answer) => answer.error?.code ?? []).sort()).toEqual([-32700, -32700, -32600].sort());
    expect(answers.find(({ error }) => error?.code === -32600).error.data).toMatchObject({ type: 'PayloadTooLarge' });
  });

  it('answers as calls finish, and all of them before it ends', async () => {
    proxy.holds = (call) => call.includes('/slow');
    const { input, ended, answers } = await open();
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    input.end(`${balance('slow', 'slow')}\n${balance('fast')}\n`);
    await expect.poll(() => answers.map(({ id }) => id), soon).toEqual(['fast']);
    expect(hasEnded).toBe(false);
    proxy.letAllGo();
    await ended;
    expect(answers.map(({ id }) => id)).toEqual(['fast', 'slow']);
  });

  it('runs sixteen lines at once', async () => {
    proxy.holds = () => true;
    const { input, ended, answers } = await open();
    input.end(Array.from({ length: 40 }, (_, n) => `${balance(n)}\n`).join(''));
    await expect.poll(() => proxy.held.length, soon).toBe(16);
    proxy.letAllGo();
    await ended;
    expect(answers).toHaveLength(40);
    expect(proxy.maxAtOnce).toBe(16);
  });

  it('stops reading from a client that does not read', async () => {
    const pipe = await open({ reads: false });
    const [count, length] = [200, 1_000];
    for (let n = 0; n < count; n += 1) pipe.input.write(`${line(n, 'tools/list').padEnd(length)}\n`);
    await expect.poll(() => pipe.output.writableNeedDrain, soon).toBe(true);
    // Another pipe's way through all of it and back is longer than that of a further line of this one would be.
    const other = await open();
    other.input.end(balance(1));
    await other.ended;
    expect(pipe.input.readableLength + pipe.input.writableLength).toBeGreaterThan((count * length) / 2);
    collect(pipe);
    pipe.input.end();
    await pipe.ended;
    expect(pipe.answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it('that is stopped takes no further line, and answers those it has', async () => {
    proxy.holds = () => true;
    const { input, transport, ended, answers } = await open();
    input.write(`${balance('begun')}\n`);
    await expect.poll(() => proxy.held.length, soon).toBe(1);
    transport.stop();
    input.write(`${balance('too late')}\n`);
    proxy.letAllGo();
    await ended;
    expect(answers.map(({ id }) => id)).toEqual(['begun']);
  });

  it('ends when nobody reads any more, and what it had begun is done', async () => {
    proxy.holds = (call) => call.startsWith('POST');
    const { input, output, ended } = await open();
    const params = { title: 'Nobody reads', body: 'It is done all the same.', idempotency_key: 'nobody-reads' };
    input.write(`${line(1, 'submit_feature_request', params)}\n`);
    await expect.poll(() => proxy.held.length, soon).toBe(1);
    output.destroy(new Error('EPIPE'));
    proxy.letAllGo();
    await ended;
    const { body } = await api.tenant.call('GET', '/v1/feedback/requests?q=Nobody');
    expect(body.requests.map(({ title }: any) => title)).toEqual(['Nobody reads']);
  });

  it('answers nothing but -32000 to a key that is nobody’s', async () => {
    const { input, ended, answers } = await open({ apiKey: 'svc_key_000000000000_nobody' });
    input.end(`${balance(1)}\n${line(2, 'tools/list')}\n`);
    await ended;
    expect(answers).toEqual(expect.arrayContaining([code(1, -32000), code(2, -32000)]));
    expect(answers).toHaveLength(2);
  });

  it('serves a client of the Model Context Protocol and plain lines side by side', async () => {
    const { input, ended, answers } = await open();
    input.write(`${balance('before')}\n`);
    input.write(`${JSON.stringify({ ...envelope('tools/list'), id: 'mcp' })}\n`);
    input.end(`${balance('after')}\n`);
    await ended;
    const byId = Object.fromEntries(answers.map((answer) => [answer.id, answer]));
    expect([byId.before.result.agentId, byId.after.result.agentId]).toEqual(['a', 'a']);
    expect(byId.mcp.result.tools).toHaveLength(15);
    expect(byId.mcp.result.resultType).toBe('complete');
  });
});

import { connect, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { NatsTransport } from '../../../src/rpc/transports/nats.transport.js';
import { startApi, send, type TestApi } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { NatsServer } from '../outbox/nats-server.js';
import { HoldingProxy } from './holding-proxy.js';
import { line, LineClient } from './line-client.js';

const SUBJECT = 'test.tools.rpc';
const soon = { timeout: 20_000, interval: 50 };
let api: TestApi;
let proxy: HoldingProxy;
let nats: NatsServer;
let services: TestTools[];
let client: NatsConnection;

const env = () => ({ SVC_NATS_URL: nats.url, SVC_TOOLS_NATS_SUBJECT: SUBJECT, SVC_TOOLS_RATE_LIMIT: '0' });
const start = () => startTools(api, { apiUrl: proxy.url, env: env() });
beforeAll(async () => {
  nats = await NatsServer.start();
  api = await startApi();
  proxy = await HoldingProxy.before(api.url);
  services = [await start(), await start()];
  client = await connect({ servers: new URL(nats.url).host, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  await vi.waitUntil(isAnswered, soon);
});
afterEach(() => proxy.letAllGo());
afterAll(async () => {
  await client.close();
  for (const service of services) await service.close();
  await proxy.close();
  await api.close();
  await nats.close();
});

const credential = (): Record<string, string> => ({
  'x-tenant-id': api.tenant.tenantId,
  'x-api-key': api.tenant.apiKey,
});

/** One request as it is sent. @throws when nobody listens, or nobody replies */
async function request(payload: string | Uint8Array, sent = credential(), timeout = 15_000): Promise<Msg> {
  const all = headers();
  for (const [name, value] of Object.entries(sent)) all.set(name, value);
  return client.request(SUBJECT, payload, { headers: all, timeout });
}
const ask = async (payload: string | Uint8Array, sent?: Record<string, string>) =>
  (await request(payload, sent)).json<any>();
const balance = (id: unknown, agent = 'a') => line(id, 'get_credit_balance', { agent_id: agent });
const isBalance = (id: unknown) => ({ jsonrpc: '2.0', id, result: expect.objectContaining({ agentId: 'a' }) });
const isError = (id: unknown, code: number, data: object = {}) => ({
  jsonrpc: '2.0',
  id,
  error: expect.objectContaining({ code, data: expect.objectContaining(data) }),
});
/** Whether a call is answered now: one that is sent while nobody is there is lost. */
const isAnswered = () =>
  request(balance(0), credential(), 2_000).then(
    () => true,
    () => false,
  );

/** Calls of a tool that one of the services has answered. */
async function answered({ url }: TestTools, tool = 'get_credit_balance'): Promise<number> {
  const { text } = await send(url, 'GET', '/metrics');
  const counts =
    text.match(new RegExp(`^svc_tool_call_seconds_count{tool="${tool}",transport="nats".*} \\d+`, 'gm')) ?? [];
  return counts.reduce((sum, one) => sum + Number(one.split(' ').at(-1)), 0);
}

describe('a request by NATS', () => {
  it('is answered by a reply: a call, a batch, and an invalid one', async () => {
    expect(await ask(balance('one'))).toEqual(isBalance('one'));
    expect(await ask(`[${balance(1)},7,${balance(2)}]`)).toEqual([isBalance(1), isError(null, -32600), isBalance(2)]);
    expect(await ask('{"half":')).toEqual(isError(null, -32700, { type: 'MalformedRequest' }));
    expect(await ask(Buffer.from([0x22, 0xff, 0x22]))).toEqual(isError(null, -32700));
    expect(await ask('')).toEqual(isError(null, -32700));
  });

  it('that holds notifications alone has an empty reply', async () => {
    const { data } = await request('{"jsonrpc":"2.0","method":"get_credit_balance","params":{"agent_id":"a"}}');
    expect(data).toHaveLength(0);
  });

  it('is run when nobody waits for its reply', async () => {
    const all = headers();
    for (const [name, value] of Object.entries(credential())) all.set(name, value);
    const params = { title: 'No reply', body: 'Nobody waits for it.', idempotency_key: 'no-reply-wanted' };
    client.publish(SUBJECT, line(1, 'submit_feature_request', params), { headers: all });
    const titles = async () =>
      (await api.tenant.call('GET', '/v1/feedback/requests?q=reply')).body.requests.map(({ title }: any) => title);
    await expect.poll(titles, soon).toEqual(['No reply']);
  });

  it('without a valid credential is answered 401 and nothing else', async () => {
    const unauthorized = { type: 'Unauthorized', status: 401 };
    const { 'x-tenant-id': tenant, 'x-api-key': key } = credential() as Record<'x-tenant-id' | 'x-api-key', string>;
    for (const sent of [
      {},
      { 'x-api-key': key },
      { 'x-tenant-id': tenant },
      { 'x-tenant-id': 'another', 'x-api-key': key },
      { 'x-tenant-id': tenant, 'x-api-key': `${key}x` },
      { authorization: `Bearer ${key}` },
      { authorization: 'Bearer svc_self_nobody' },
    ] as Record<string, string>[]) {
      expect(await ask(balance(1), sent)).toEqual(isError(1, -32000, unauthorized));
      expect(await ask(line(2, 'tools/list'), sent)).toEqual(isError(2, -32000, unauthorized));
    }
    const noHeaders = await client.request(SUBJECT, balance(3), { timeout: 15_000 });
    expect(noHeaders.json()).toEqual(isError(3, -32000, unauthorized));
  });

  it('has its key for repeats, its request id and its trace in headers, in whatever case', async () => {
    const call = line(1, 'submit_feature_request', { title: 'By header', body: 'Once.' });
    const sent = { 'X-Tenant-Id': api.tenant.tenantId, 'X-API-Key': api.tenant.apiKey };
    expect(await ask(call, sent)).toEqual(isError(1, -32602, { type: 'IdempotencyKeyRequired' }));
    const keyed = { ...sent, 'X-Idempotency-Key': 'nats-by-header', 'X-Request-Id': 'nats-1' };
    const first = await ask(call, keyed);
    expect(first.result.title).toBe('By header');
    // A reply has no headers of the API: that it repeats an earlier one stands in its result.
    expect(first.result).not.toHaveProperty('replayed');
    expect(await ask(call, keyed)).toEqual({ ...first, result: { ...first.result, replayed: true } });
    const failed = await ask(line(2, 'get_credit_balance'), keyed);
    expect(failed).toEqual(isError(2, -32602, { request_id: 'nats-1' }));
  });

  it('whose answer is too large for the server gets an error that reports what was done', async () => {
    const batch = `[${Array.from({ length: 50 }, (_, id) => line(id, 'tools/list')).join(',')}]`;
    const answers = await ask(batch);
    expect(answers).toHaveLength(50);
    expect(answers[7]).toEqual(
      isError(7, -32603, { type: 'AnswerTooLarge', limitBytes: 1_048_576, answerBytes: expect.any(Number) }),
    );
  });
});

describe('several tool services', () => {
  it('share the calls, and each call has one answer', async () => {
    const before = await Promise.all(services.map((service) => answered(service)));
    const answers = await Promise.all(Array.from({ length: 100 }, (_, id) => ask(balance(id))));
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, id) => id));
    const after = await Promise.all(services.map((service) => answered(service)));
    const own = after.map((count, n) => count - before[n]!);
    expect(own.reduce((sum, count) => sum + count)).toBe(100);
    expect(Math.min(...own)).toBeGreaterThan(0);
  });

  it('may stop one by one: what one has taken it answers, the rest goes to the others', async () => {
    const third = await start();
    await expect.poll(async () => (await isAnswered()) && answered(third), soon).toBeGreaterThan(0);
    proxy.holds = () => true;
    const before = await answered(third);
    const asked = Array.from({ length: 60 }, (_, id) => ask(balance(id)));
    await expect.poll(() => proxy.held.length, soon).toBe(60);
    const closed = third.close();
    await expect.poll(() => fetch(third.url).catch(() => 'gone'), soon).toBe('gone');
    const later = ask(balance('later'));
    await expect.poll(() => proxy.held.length, soon).toBe(61);
    proxy.letAllGo();
    expect((await Promise.all(asked)).map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, id) => id));
    expect(await later).toEqual(isBalance('later'));
    await closed;
    expect(before).toBeGreaterThan(0);
  });

  it('answer what a fault left without an answer by an internal error, and go on', async () => {
    const subject = `${SUBJECT}.faulty`;
    const settings = loadSettings({ NODE_ENV: 'test', SVC_LOG_LEVEL: 'silent' });
    const parts = { url: nats.url, subject, log: makeLog(settings, 'tools'), metrics: new Metrics() };
    const transport = new NatsTransport(parts);
    await transport.open({ dispatch: () => Promise.reject(new Error('no answer')) });
    const reply = () => client.request(subject, balance(7), { timeout: 2_000 }).then((message) => message.json<any>());
    await expect
      .poll(() => reply().catch(() => undefined), soon)
      .toEqual(isError(7, -32603, { type: 'InternalError' }));
    expect(await reply()).toEqual(isError(7, -32603));
    await transport.close();
  });

  it('that stop take no further calls while they wait for the last ones by other ways', async () => {
    const stopping = await start();
    await expect.poll(async () => (await isAnswered()) && answered(stopping), soon).toBeGreaterThan(0);
    proxy.holds = (call) => call.includes('/held');
    const stream = new LineClient(stopping.url, credential()).send(balance('held', 'held'));
    await expect.poll(() => proxy.held.length, soon).toBe(1);
    const closed = stopping.close().then(() => 'closed');
    const byOthers = async () => {
      const before = await Promise.all(services.map((service) => answered(service)));
      await Promise.all(Array.from({ length: 20 }, (_, id) => ask(balance(id))));
      const after = await Promise.all(services.map((service) => answered(service)));
      return after.reduce((sum, count, n) => sum + count - before[n]!, 0);
    };
    await expect.poll(byOthers, soon).toBe(20);
    expect(await byOthers()).toBe(20);
    expect(await Promise.race([closed, Promise.resolve('waits')])).toBe('waits');
    proxy.letAllGo();
    expect(await stream.rest()).toMatchObject([{ id: 'held', result: { agentId: 'held' } }]);
    stream.end();
    expect(await closed).toBe('closed');
  });

  it('take sixty-four calls at once each; the others wait', async () => {
    proxy.holds = () => true;
    proxy.maxAtOnce = 0;
    const asked = Array.from({ length: 400 }, (_, id) => ask(balance(id)));
    await expect.poll(() => proxy.held.length, soon).toBe(128);
    proxy.letAllGo();
    await Promise.all(asked);
    expect(proxy.maxAtOnce).toBe(128);
  });
});

describe('a NATS server that is away', () => {
  it('is reconnected to, without a restart of the service', { timeout: 60_000 }, async () => {
    await nats.kill();
    for (const { url } of services) expect((await send(url, 'GET', '/readyz')).status).toBe(200);
    await nats.resume();
    await expect.poll(isAnswered, { timeout: 40_000, interval: 200 }).toBe(true);
  });

  it('does not hold up the start; calls are taken once it is there', { timeout: 60_000 }, async () => {
    await nats.kill();
    const early = await start();
    expect((await send(early.url, 'GET', '/readyz')).status).toBe(200);
    await nats.resume();
    await expect
      .poll(async () => (await isAnswered()) && answered(early), { timeout: 40_000, interval: 200 })
      .toBeGreaterThan(0);
    await early.close();
  });

  it('does not hold up a process that stops', async () => {
    const stopping = await start();
    await nats.kill();
    await stopping.close();
    await nats.resume();
  });
});

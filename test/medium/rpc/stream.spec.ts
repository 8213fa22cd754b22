import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LONG_REQUESTS } from '../../../src/common/http/long-requests.js';
import { StreamTransport } from '../../../src/rpc/transports/stream.transport.js';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { HoldingProxy } from './holding-proxy.js';
import { line, LineClient } from './line-client.js';

const MAX_LINE = 65_536;
const soon = { timeout: 20_000, interval: 20 };
let api: TestApi;
let proxy: HoldingProxy;
let tools: TestTools;
beforeAll(async () => {
  api = await startApi();
  proxy = await HoldingProxy.before(api.url);
  tools = await startTools(api, {
    apiUrl: proxy.url,
    env: { SVC_TOOLS_RATE_LIMIT: '0', SVC_TOOLS_MAX_BODY_BYTES: String(MAX_LINE) },
  });
});
afterEach(() => {
  proxy.letAllGo();
  proxy.maxAtOnce = 0;
});
afterAll(async () => {
  await tools.close();
  await proxy.close();
  await api.close();
});

/** Credentials that are none. */
const NOT_ENOUGH: Record<string, string>[] = [
  {},
  { 'x-tenant-id': 'acme' },
  { 'x-tenant-id': 'acme', 'x-api-key': 'svc_key_wrong' },
];
const credential = ({ tenantId, apiKey } = api.tenant) => ({ 'x-tenant-id': tenantId, 'x-api-key': apiKey });
const open = (headers: Record<string, string> = {}, url = tools.url) =>
  new LineClient(url, { ...credential(), ...headers });
const balance = (id: unknown, agent = 'a') => line(id, 'get_credit_balance', { agent_id: agent });
const isBalance = (id: unknown, agent = 'a') => ({
  jsonrpc: '2.0',
  id,
  result: expect.objectContaining({ agentId: agent }),
});
const isError = (id: unknown, code: number, data?: object) => ({
  jsonrpc: '2.0',
  id,
  error: expect.objectContaining({ code, ...(data ? { data: expect.objectContaining(data) } : {}) }),
});
const metric = async (name: string, url = tools.url) =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec((await send(url, 'GET', '/metrics')).text)?.[1]);
const openStreams = () => metric('svc_streams');
const featureRequest = (title: string) => ({ title, body: `${title}: what it would do.` });

describe('a stream', () => {
  it('answers every line with a line, under headers that keep proxies from buffering them', async () => {
    const client = open({ 'x-request-id': 'stream-1' }).send(balance(1), balance('two')).end();
    const { statusCode, headers } = await client.head;
    expect(await client.rest()).toEqual(expect.arrayContaining([isBalance(1), isBalance('two')]));
    expect([statusCode, headers]).toMatchObject([
      200,
      {
        'content-type': 'application/x-ndjson',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-request-id': 'stream-1',
        traceparent: expect.stringMatching(/^00-/),
      },
    ]);
  });

  it('sends its head to a client that waits for it before the first line', async () => {
    const client = open();
    expect((await client.head).statusCode).toBe(200);
    expect(await client.send(balance(1)).next()).toEqual(isBalance(1));
    expect(await client.send(balance(2)).next()).toEqual(isBalance(2));
    expect(await client.end().rest()).toEqual([]);
  });

  it('answers calls as they finish, while others still run and more come in', async () => {
    proxy.holds = (call) => call.includes('/slow');
    const client = open().send(balance('slow', 'slow'), balance('fast', 'fast'));
    expect(await client.next()).toEqual(isBalance('fast', 'fast'));
    expect(await client.send(balance('later', 'later')).next()).toEqual(isBalance('later', 'later'));
    proxy.letAllGo();
    expect(await client.end().rest()).toEqual([isBalance('slow', 'slow')]);
  });

  it('answers a batch by the line of its array, and a notification by nothing', async () => {
    const notification = '{"jsonrpc":"2.0","method":"get_credit_balance","params":{"agent_id":"a"}}';
    const client = open();
    expect(await client.send(`[${balance(1)},${notification},7,${balance(2)}]`).next()).toEqual([
      isBalance(1),
      isError(null, -32600),
      isBalance(2),
    ]);
    client.send(notification, `[${notification}]`, balance(3));
    expect(await client.end().rest()).toEqual([isBalance(3)]);
  });

  it('continues after invalid lines, and takes a last one without a line feed', async () => {
    const client = open();
    client
      .write('\n \t\r\n{"jsonrpc":\n')
      .write(Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]))
      .write('[]\r\n');
    const answers = [await client.next(), await client.next(), await client.next()];
    expect(answers).toEqual([isError(null, -32700), isError(null, -32700), isError(null, -32600)]);
    expect(await client.write(balance(1)).end().rest()).toEqual([isBalance(1)]);
  });

  it('skips a line that is too long, reports it once, and goes on', async () => {
    const tooLong = isError(null, -32600, { type: 'PayloadTooLarge', limitBytes: MAX_LINE, status: 413 });
    const client = open();
    const fits = balance(1).padEnd(MAX_LINE);
    expect(await client.send(fits).next()).toEqual(isBalance(1));
    expect(await client.send(`${fits} `).next()).toEqual(tooLong);
    client.write('x'.repeat(MAX_LINE + 1));
    expect(await client.next()).toEqual(tooLong);
    for (let part = 0; part < 50; part += 1) client.write('y'.repeat(MAX_LINE));
    expect(await client.send('', balance(2)).end().rest()).toEqual([isBalance(2)]);
  });

  it('takes one payload as application/json, of however many lines', async () => {
    const post = (body: string, type = 'application/json', path = '/stream') =>
      send(tools.url, 'POST', path, body, { ...credential(), 'content-type': type });
    const one = await post(JSON.stringify(JSON.parse(balance(1)), null, 2));
    expect([one.status, one.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(one.text.endsWith('}\n')).toBe(true);
    expect(JSON.parse(one.text)).toEqual(isBalance(1));
    expect(JSON.parse((await post('{"half":')).text)).toEqual(isError(null, -32700));
    const large = await post(balance(1).padEnd(MAX_LINE + 1));
    expect([large.status, JSON.parse(large.text).type]).toEqual([413, 'PayloadTooLarge']);
    expect((await post(balance(1), 'text/plain')).status).toBe(415);
    expect((await post(balance(1), 'application/x-ndjson', '/rpc')).status).toBe(415);
    expect((await post(balance(1), 'application/x-ndjson; charset=utf-8')).status).toBe(200);
  });

  it('counts its lines', async () => {
    const before = await metric('svc_stream_lines_total');
    await open().send(balance(1), '', 'none', balance(2)).end().rest();
    expect(await metric('svc_stream_lines_total')).toBe(before + 3);
  });
});

describe('the idempotency key of a stream', () => {
  const submit = (id: unknown, title: string, extra = {}) =>
    line(id, 'submit_feature_request', { ...featureRequest(title), ...extra });

  it('applies to its first line alone', async () => {
    const client = open({ 'x-idempotency-key': 'next-to-the-stream' });
    expect(await client.send(submit(1, 'First')).next()).toMatchObject({ id: 1, result: { title: 'First' } });
    expect(await client.send(submit(2, 'Second')).next()).toEqual(
      isError(2, -32602, { type: 'IdempotencyKeyRequired' }),
    );
    const own = submit(3, 'Third', { idempotency_key: 'of-the-third' });
    expect(await client.send(own).next()).toMatchObject({ id: 3, result: { title: 'Third' } });
    await client.end().rest();
    const again = open({ 'x-idempotency-key': 'next-to-the-stream' });
    const [first] = await again.send(submit(4, 'First')).end().rest();
    const { body } = await api.tenant.call('GET', '/v1/feedback/requests');
    expect(body.requests.filter(({ title }: any) => title === 'First')).toHaveLength(1);
    expect(first.result.requestId).toBe(body.requests.find(({ title }: any) => title === 'First').requestId);
  });
});

describe('back-pressure', () => {
  it('runs sixteen lines at once', async () => {
    proxy.holds = () => true;
    const client = open().send(balance('first', 'first'));
    await expect.poll(() => proxy.held.length, soon).toBe(1);
    // The others wait for the head, which waits for the first.
    client.send(...Array.from({ length: 39 }, (_, n) => balance(n)));
    await expect.poll(() => proxy.held.length, soon).toBe(16);
    // Another stream's call through the same process takes longer than a seventeenth of this one would.
    proxy.holds = (call) => call.includes('/a');
    expect(await open().send(balance('b', 'b')).end().rest()).toEqual([isBalance('b', 'b')]);
    expect(proxy.held).toHaveLength(16);
    proxy.letAllGo();
    expect(await client.end().rest()).toHaveLength(40);
    expect(proxy.maxAtOnce).toBe(16);
  });

  it('stops reading from a client that does not read', { timeout: 60_000 }, async () => {
    const before = await metric('svc_stream_lines_total');
    const client = open();
    const { headers } = await client.head;
    const padded = line('x', 'tools/list').padEnd(8_000);
    const count = 4_000;
    client.send(...Array.from({ length: count }, () => padded));
    const taken = async () => (await metric('svc_stream_lines_total')) - before;
    let last = -1;
    const hasStalled = async () => {
      const now = await taken();
      const stalled = now === last && now > 0;
      last = now;
      return stalled;
    };
    await expect.poll(hasStalled, { timeout: 30_000, interval: 500 }).toBe(true);
    // What the two kernels hold of the answers, and the sixteen in flight.
    expect([last < count / 4, client.unsentBytes > 0]).toEqual([true, true]);
    expect(headers['content-type']).toBe('application/x-ndjson');
    client.destroy();
    await expect.poll(openStreams, soon).toBe(0);
  });
});

describe('the credential of a stream', () => {
  it('is asked for', async () => {
    for (const headers of NOT_ENOUGH) {
      const type = { 'content-type': 'application/x-ndjson' };
      const answer = await send(tools.url, 'POST', '/stream', `${balance(1)}\n`, { ...type, ...headers });
      expect([answer.status, answer.body.type]).toEqual([401, 'Unauthorized']);
    }
  });

  it('ends the stream when it ends', async () => {
    const made = (await api.tenant.call('POST', '/v1/org/api-keys', { label: 'stream' })).body;
    const client = open(credential({ ...api.tenant, apiKey: made.apiKey }));
    expect(await client.send(balance(1)).next()).toEqual(isBalance(1));
    expect((await api.tenant.call('DELETE', `/v1/org/api-keys/${made.id}`)).status).toBe(200);
    const answers: any[] = [];
    for (let answer = answers; answer !== undefined; answer = await client.send(balance(2)).next())
      answers.push(answer);
    expect(answers.at(-1)).toEqual(isError(2, -32000, { type: 'Unauthorized' }));
    await expect.poll(openStreams, soon).toBe(0);
  });
});

describe('the rate window', () => {
  const LIMIT = 3;
  let limited: TestTools;
  let tenant: TestTenant;
  beforeAll(async () => {
    limited = await startTools(api, { env: { SVC_TOOLS_RATE_LIMIT: String(LIMIT) } });
    tenant = await api.addTenant('limited');
  });
  afterAll(() => limited.close());
  const openLimited = () => open(credential(tenant), limited.url);

  /** Uses the window up on a stream that has begun. @returns what was answered to the call that was one too many */
  async function useUp(): Promise<any> {
    const client = openLimited();
    await client.head;
    let answer: any;
    for (let n = 0; n <= 2 * LIMIT && answer?.error === undefined; n += 1)
      answer = await client.send(balance(n)).next();
    // The stream goes on: its head said 200.
    expect(await client.send('none').end().rest()).toEqual([isError(null, -32700)]);
    return answer;
  }

  /** A window may end between two calls; one of some attempts falls into a whole one. */
  async function meetUsedUp(): Promise<LineClient> {
    for (let attempt = 1; ; attempt += 1) {
      await useUp();
      const client = openLimited().send(balance('first'), balance('second'));
      if ((await client.head).statusCode !== 200 || attempt === 3) return client;
      await client.end().rest();
    }
  }

  it('that is used up is an error of the line on a stream that has begun', async () => {
    expect((await useUp()).error).toMatchObject({ code: -32006, data: { retryAfterSec: expect.any(Number) } });
  });

  it('that is used up is 429 when the first line meets it, and no other line is taken', async () => {
    const client = await meetUsedUp();
    const { statusCode, headers } = await client.head;
    expect([statusCode, headers['content-type']]).toEqual([429, 'application/x-ndjson']);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(await client.rest()).toEqual([isError('first', -32006)]);
  });
});

describe('a client that disconnects', () => {
  it('leaves nothing open; what it had begun to change is changed, what it only read is given up', async () => {
    proxy.holds = () => true;
    const client = open().send(
      line(1, 'submit_feature_request', { ...featureRequest('Left behind'), idempotency_key: 'left-behind' }),
    );
    await expect.poll(() => proxy.held.length, soon).toBe(1);
    client.send(balance(2));
    await expect.poll(() => proxy.held.length, soon).toBe(2);
    const [mutation, read] = proxy.held;
    client.destroy();
    await expect.poll(() => read!.hasGone, soon).toBe(true);
    expect([mutation!.hasGone, await openStreams()]).toEqual([false, 1]);
    proxy.letAllGo();
    await expect.poll(openStreams, soon).toBe(0);
    const { body } = await api.tenant.call('GET', '/v1/feedback/requests?q=Left');
    expect(body.requests.map(({ title }: any) => title)).toEqual(['Left behind']);
  });

  it('without closing the connection is detected by its silence', async () => {
    proxy.holds = (call) => call.includes('/held');
    const [idle, busy] = [open(), open().send(balance('held', 'held'))];
    await idle.head;
    await expect.poll(() => proxy.held.length, soon).toBe(1);
    tools.app.get(StreamTransport).endIdle(60_000);
    expect(await openStreams()).toBe(2);
    tools.app.get(StreamTransport).endIdle(0);
    expect(await idle.rest()).toEqual([]);
    await expect.poll(openStreams, soon).toBe(1);
    proxy.letAllGo();
    expect(await busy.end().rest()).toEqual([isBalance('held', 'held')]);
  });
});

it('a stream may last longer than other requests', async () => {
  const sockets: Socket[] = [];
  const keep = (socket: Socket) => void sockets.push(socket);
  const server: Server = tools.app.getHttpServer();
  server.on('connection', keep);
  const client = open({ connection: 'close' });
  await client.head;
  server.off('connection', keep);
  expect(sockets.filter((socket) => LONG_REQUESTS.has(socket))).toHaveLength(1);
  await client.send(balance(1)).end().rest();
  await expect.poll(() => sockets.filter((socket) => LONG_REQUESTS.has(socket)), soon).toEqual([]);
});

it('one caller has as many streams as a process keeps for it', { timeout: 120_000 }, async () => {
  const clients: LineClient[] = [];
  for (let opened = 0; opened < 512; opened += 64) {
    const some = Array.from({ length: 64 }, () => open());
    clients.push(...some);
    await Promise.all(some.map((client) => client.head));
  }
  const { statusCode, headers } = await open().head;
  expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
  for (const client of clients) client.end();
  await expect.poll(openStreams, soon).toBe(0);
});

it('a process that stops takes no further line, and finishes what it has', async () => {
  proxy.holds = () => true;
  const stopping = await startTools(api, { apiUrl: proxy.url, env: { SVC_TOOLS_RATE_LIMIT: '0' } });
  const client = open({}, stopping.url);
  await client.head;
  client.send(balance('begun'));
  await expect.poll(() => proxy.held.length, soon).toBe(1);
  const closed = stopping.close();
  const isOpen = () =>
    fetch(stopping.url).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen, soon).toBe(false);
  client.send(balance('too late'));
  proxy.letAllGo();
  expect(await client.rest()).toEqual([isBalance('begun')]);
  client.end();
  await closed;
});

import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';

const MAX_BODY = 1024 * 1024;
let api: TestApi;
let tools: TestTools;
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api, {
    env: {
      SVC_TOOLS_PUBLIC_URL: 'https://tools.example.org/x',
      SVC_ALLOWED_HOSTS: 'Box.Local, other.local',
      SVC_TOOLS_MAX_BODY_BYTES: String(MAX_BODY),
    },
  });
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

interface Heard {
  status: number;
  body: any;
}

/** fetch sets Host by itself. */
function get(url: string, path: string, headers: Record<string, string>): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url + path, { headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode!, body: JSON.parse(text) }));
    });
    sent.once('error', reject).end();
  });
}

describe('the operations of the tool service', () => {
  it('are those of the API, in its own name', async () => {
    expect((await send(tools.url, 'GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await send(tools.url, 'GET', '/readyz')).body).toEqual({
      service: 'tools',
      status: 'healthy',
      checks: { livez: { status: 'ok' }, readyz: { status: 'ok' } },
    });
    expect((await send(tools.url, 'GET', '/metrics')).text).toContain('svc_http_request_seconds_bucket');
    expect((await send(tools.url, 'GET', '/build-info')).body.service).toBe('svc');
    expect((await send(tools.url, 'GET', '/openapi.json')).body.info.title).toBe('svc tool service');
    expect((await send(tools.url, 'GET', '/docs')).status).toBe(200);
    const { status, body } = await send(tools.url, 'POST', '/v1/retrieve', { query: 'x' });
    expect([status, body.type]).toEqual([404, 'NotFound']);
  });

  it('say so when the API is away', async () => {
    const away = await startTools(api, { apiUrl: 'http://127.0.0.1:9' });
    const { status, body } = await send(away.url, 'GET', '/readyz');
    expect([status, body.service, body.checks.readyz]).toEqual([
      503,
      'tools',
      { status: 'fail', reason: 'api: the API behind it (SVC_API_URL) does not answer' },
    ]);
    expect((await send(away.url, 'GET', '/healthz')).status).toBe(200);
    await away.close();
  });
});

describe('the listener of the tool service', () => {
  const port = () => new URL(tools.url).port;

  it.each([
    ['localhost', 200],
    ['localhost:1', 200],
    ['LOCALHOST', 200],
    ['127.0.0.1', 200],
    ['[::1]:8091', 200],
    ['tools.example.org', 200],
    ['tools.example.org:8443', 200],
    ['box.local:99', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['evil.example:8091', 403],
    ['10.0.0.1', 403],
    ['[::2]', 403],
  ])('bound to loopback, answers Host %s with %i', async (host, status) => {
    const heard = await get(tools.url, '/build-info', { host });
    expect([heard.status, heard.body.type]).toEqual([status, status === 200 ? undefined : 'Forbidden']);
  });

  it.each([
    ['http://localhost:PORT', 'localhost:PORT', 200],
    ['http://127.0.0.1:PORT', '127.0.0.1:PORT', 200],
    ['https://tools.example.org', 'localhost:PORT', 200],
    ['https://tools.example.org', 'tools.example.org', 200],
    ['http://box.local', 'box.local', 200],
    ['http://localhost:1', 'localhost:PORT', 403],
    ['http://evil.example', 'localhost:PORT', 403],
    ['http://tools.example.org', 'localhost:PORT', 403],
    ['https://tools.example.org.evil.example', 'localhost:PORT', 403],
    ['null', 'localhost:PORT', 403],
    ['localhost:PORT', 'localhost:PORT', 403],
  ])('answers Origin %s at Host %s with %i', async (origin, host, status) => {
    const named = (text: string) => text.replace('PORT', port());
    const heard = await get(tools.url, '/build-info', { origin: named(origin), host: named(host) });
    expect([heard.status, heard.body.type]).toEqual([status, status === 200 ? undefined : 'Forbidden']);
  });

  it('refuses with the common error body, and names the setting that adds names', async () => {
    const { body } = await get(tools.url, '/nowhere', { host: 'evil.example' });
    expect(body).toMatchObject({ type: 'Forbidden', status: 403, code: 'FORBIDDEN', retryable: false });
    expect(body.detail).toContain('SVC_ALLOWED_HOSTS');
    expect(body.request_id).toMatch(/./);
  });

  it('refuses a body beyond SVC_TOOLS_MAX_BODY_BYTES', async () => {
    const key = { 'x-tenant-id': api.tenant.tenantId, 'x-api-key': api.tenant.apiKey };
    const big = await send(tools.url, 'POST', '/rpc', JSON.stringify('x'.repeat(MAX_BODY)), key);
    expect([big.status, big.body.type, big.body.limitBytes]).toEqual([413, 'PayloadTooLarge', MAX_BODY]);
    expect(big.body.detail).toContain(`${MAX_BODY} bytes`);
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freePort } from '../../kit/free-port.js';
import { cookieOf } from '../seats/given.js';

let api: TestApi;
let daemon: TestDaemon;
const started: TestDaemon[] = [];
const start = async (env: Record<string, string>): Promise<TestDaemon> => {
  const made = await startDaemon({ database: api.database, env });
  started.push(made);
  return made;
};

beforeAll(async () => {
  api = await startApi();
  daemon = await start({ SVC_API_URL: api.url });
}, 60_000);
afterAll(async () => {
  for (const one of started.reverse()) await one.close();
  await api.close();
});

describe('the way of the console to the tenant API', () => {
  const page = () => ({ origin: daemon.url });
  const signIn = () => {
    const { tenantId, apiKey } = api.tenant;
    return send(daemon.url, 'POST', '/console/api/frontdoor/auth/connect', { tenantId, apiKey }, page());
  };

  it('signs in, reads, writes and signs out, at one origin', async () => {
    const signedIn = await signIn();
    expect([signedIn.status, signedIn.body.tenantId]).toEqual([200, api.tenant.tenantId]);
    const set = signedIn.headers.get('set-cookie');
    expect(set).toMatch(/^svc_session=[^;]+;/);
    expect(set).toMatch(/Path=\/;.*HttpOnly;.*SameSite=Strict/i);
    const cookie = cookieOf(signedIn);
    const read = await send(daemon.url, 'GET', '/console/api/v1/org/seats?limit=5', undefined, { cookie });
    expect([read.status, Array.isArray(read.body.seats)]).toEqual([200, true]);
    const write = { cookie, ...page(), 'x-idempotency-key': crypto.randomUUID() };
    const invited = await send(
      daemon.url,
      'POST',
      '/console/api/v1/org/invite',
      { email: 'a@example.org', role: 'viewer' },
      write,
    );
    expect([invited.status, invited.body.seat?.role]).toEqual([201, 'viewer']);
    // The same cookie is the session of the daemon's own routes.
    expect((await send(daemon.url, 'GET', '/v1/facts/list', undefined, { cookie })).status).toBe(200);
    const out = await send(daemon.url, 'POST', '/console/api/frontdoor/auth/logout', undefined, { cookie, ...page() });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect((await send(daemon.url, 'GET', '/console/api/frontdoor/auth/session', undefined, { cookie })).status).toBe(
      401,
    );
  });

  it('gives the problems of the API back as they are', async () => {
    const { status, body, headers } = await send(daemon.url, 'GET', '/console/api/v1/org/seats');
    expect([status, body.type]).toEqual([401, 'Unauthorized']);
    expect(headers.get('x-request-id')).toBe(body.request_id);
  });

  it('takes no write from a page of another server', async () => {
    const cookie = cookieOf(await signIn());
    const post = (headers: Record<string, string>) =>
      send(
        daemon.url,
        'POST',
        '/console/api/v1/org/invite',
        { email: 'b@example.org', role: 'viewer' },
        { cookie, ...headers },
      );
    for (const headers of [{}, { origin: 'https://other.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await post(headers as Record<string, string>)).status).toBe(403);
  });

  it('leads nowhere else than to /v1/ and /frontdoor/', async () => {
    for (const path of ['/metrics', '/openapi.json', '/v1/..%2fmetrics', '/v1/%2e%2e/metrics', '/'])
      expect([path, (await send(daemon.url, 'GET', `/console/api${path}`)).status]).toEqual([path, 404]);
  });

  it('throttles sign-ins by the address of the browser', async () => {
    const behind = await start({ SVC_API_URL: api.url, SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1/32' });
    const attempt = async (address: string) => {
      const body = { tenantId: api.tenant.tenantId, apiKey: 'svc_wrong_key_of_nobody' };
      const headers = { origin: behind.url, 'x-forwarded-for': address };
      return (await send(behind.url, 'POST', '/console/api/frontdoor/auth/connect', body, headers)).status;
    };
    const first: number[] = [];
    for (let i = 0; i < 7; i += 1) first.push(await attempt('198.51.100.7'));
    expect([first[0], first.at(-1)]).toEqual([401, 429]);
    expect(await attempt('198.51.100.8')).toBe(401);
    // What a client writes itself is no address of a part of this server.
    const made = Buffer.from(JSON.stringify(['198.51.100.9', Date.now() + 60_000])).toString('base64url');
    const forged = { origin: behind.url, 'x-forwarded-for': '198.51.100.7', 'x-svc-client-address': `${made}.AAAA` };
    const body = { tenantId: api.tenant.tenantId, apiKey: 'svc_wrong_key_of_nobody' };
    expect((await send(behind.url, 'POST', '/console/api/frontdoor/auth/connect', body, forged)).status).toBe(429);
  });

  it('says so where the API does not answer', async () => {
    const alone = await start({ SVC_API_URL: `http://127.0.0.1:${await freePort()}` });
    const { status, body } = await send(alone.url, 'GET', '/console/api/v1/org/seats');
    expect([status, body.code, body.upstream]).toEqual([502, 'API_UNAVAILABLE', 'api']);
    expect(body.detail).toContain('SVC_API_URL');
    expect((await send(alone.url, 'GET', '/console/config.json')).body.api).toEqual({ is_reachable: false });
    expect((await send(daemon.url, 'GET', '/console/config.json')).body.api).toEqual({ is_reachable: true });
  });

  it('is not there while SVCD_CONSOLE_ENABLED is off', async () => {
    const off = await start({ SVC_API_URL: api.url, SVCD_CONSOLE_ENABLED: '0' });
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await send(off.url, method, '/console/api/v1/org/seats');
      expect([method, status, body.code]).toEqual([method, 404, 'FLAG_OFF']);
    }
  });
});

describe('a request that is passed on', () => {
  let upstream: Server;
  let passing: TestDaemon;
  let seen: { request: IncomingMessage; body: string }[];
  let answer: (response: ServerResponse, request: IncomingMessage) => void;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        seen.push({ request, body });
        answer(response, request);
      });
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    passing = await start({ SVC_API_URL: `http://127.0.0.1:${port}/base`, SVC_TOOLS_API_TIMEOUT_MS: '500' });
  });
  beforeEach(() => {
    seen = [];
    answer = (response) => response.setHeader('content-type', 'application/json').end('{}');
  });
  afterAll(() => {
    upstream.closeAllConnections();
    upstream.close();
  });

  it('bears the session and nothing else that a client says of itself', async () => {
    const headers = {
      ...{
        cookie: 'other=1; svc_session=abc.def; third=3',
        authorization: 'Bearer of-the-daemon',
        origin: passing.url,
      },
      ...{
        'x-forwarded-for': '203.0.113.9',
        forwarded: 'for=203.0.113.9',
        'x-api-key': 'k',
        'x-idempotency-key': 'key-of-it',
      },
      ...{
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': 'from-the-page',
        'accept-encoding': 'br',
      },
    };
    await send(passing.url, 'POST', '/console/api/v1/a%20b?x=1&y=%2F', '{"z": 1.0}', headers);
    const [{ request, body }] = seen as [{ request: IncomingMessage; body: string }];
    expect([request.method, request.url, body]).toEqual(['POST', '/base/v1/a%20b?x=1&y=%2F', '{"z": 1.0}']);
    expect(request.headers).toMatchObject({
      ...{ cookie: 'svc_session=abc.def', origin: passing.url, host: new URL(passing.url).host },
      ...{
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': 'from-the-page',
        'x-idempotency-key': 'key-of-it',
      },
    });
    for (const name of ['authorization', 'x-forwarded-for', 'forwarded', 'x-api-key', 'accept-encoding'])
      expect([name, request.headers[name]]).toEqual([name, undefined]);
  });

  it('is sent once, and ends after SVC_TOOLS_API_TIMEOUT_MS', async () => {
    answer = (response) => void response.writeHead(503, { 'retry-after': '0' }).end();
    expect((await send(passing.url, 'GET', '/console/api/v1/x')).status).toBe(503);
    expect(seen).toHaveLength(1);
    answer = () => undefined;
    const late = await send(passing.url, 'GET', '/console/api/v1/x');
    expect([late.status, late.body.detail]).toEqual([502, expect.stringContaining('too long')]);
    expect(seen).toHaveLength(2);
  });

  it('may be answered by a stream, which ends when either side ends', async () => {
    let source: ServerResponse | undefined;
    answer = (response) => {
      source = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    };
    const gone = new AbortController();
    const first = await fetch(`${passing.url}/console/api/v1/stream`, { signal: gone.signal });
    const reader = first.body!.getReader();
    expect(Buffer.from((await reader.read()).value).toString()).toBe('data: 1\n\n');
    source!.write('data: 2\n\n');
    expect(Buffer.from((await reader.read()).value).toString()).toBe('data: 2\n\n');
    const closed = once(source!, 'close');
    gone.abort();
    await closed;
    const second = await fetch(`${passing.url}/console/api/v1/stream`);
    source!.end('data: 3\n\n');
    expect(await second.text()).toBe('data: 1\n\ndata: 3\n\n');
  });

  it('is refused with a body that is compressed, or larger than is taken', async () => {
    const headers = { origin: passing.url, 'content-encoding': 'gzip' };
    expect((await send(passing.url, 'POST', '/console/api/v1/x', '{}', headers)).status).toBe(415);
    const large = 'x'.repeat(8 * 1024 * 1024 + 1);
    expect((await send(passing.url, 'POST', '/console/api/v1/x', large, { origin: passing.url })).status).toBe(413);
    expect(seen).toEqual([]);
  });
});

import { Client, credentials, status as grpcStatus, type ServiceError } from '@grpc/grpc-js';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { startApi, type TestApi } from '../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON } from '../kit/daemon-contract.js';
import { rawRequest, type RawAnswer } from '../kit/raw-request.js';
import { startTools, type TestTools } from '../kit/tools.js';

const OWN = { SVC_ALLOWED_HOSTS: 'Box.Local' };
/** The listeners that speak HTTP, each with an address that answers 200 to GET; that of MCP has none. */
const LISTENERS = ['api', 'tools', 'daemon', 'daemon-mcp'] as const;
type Listener = (typeof LISTENERS)[number];

let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
const urls = {} as Record<Listener, string>;

beforeAll(async () => {
  api = await startApi({ env: { ...OWN, FEATURE_SELF_SIGNUP: '1' } });
  tools = await startTools(api, { env: { ...OWN, SVC_TOOLS_RATE_LIMIT: '0' } });
  daemon = await startDaemon({ env: { ...OWN, ...ALL_FLAGS_ON } });
  Object.assign(urls, { api: api.url, tools: tools.url, daemon: daemon.url });
  urls['daemon-mcp'] = new URL(daemon.mcpUrl).origin;
});
afterAll(async () => {
  await daemon.close();
  await tools.close();
  await api.close();
});

const credential = (listener: Listener): Record<string, string> =>
  listener.startsWith('daemon')
    ? { 'x-svc-scopes': ALL_SCOPES }
    : { 'x-tenant-id': api.tenant.tenantId, 'x-api-key': api.tenant.apiKey };

const hostOf = (listener: Listener) => new URL(urls[listener]).host;
/** The answer of a request that passes: anything but 403. */
const passes = ({ status }: RawAnswer) => status !== 403;

describe.each(LISTENERS)('the listener %s, bound to loopback', (listener) => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const PATHS = [
    '/',
    '/healthz',
    '/docs',
    '/openapi.json',
    '/v1/facts',
    '/v1/ingest',
    '/rpc',
    '/mcp',
    '/%',
    '/nowhere',
  ];

  it('refuses a foreign Host and a foreign Origin in every method, whatever the address and the credential', async () => {
    const host = hostOf(listener);
    const foreign: Record<string, string>[] = [
      { host: 'rebind.evil.example' },
      { host: `rebind.evil.example:${new URL(urls[listener]).port}` },
      { host: '127.0.0.1.evil.example' },
      { host: '10.0.0.1' },
      { host: 'no host' },
      { host, origin: 'http://evil.example' },
      { host, origin: 'null' },
      { host, origin: 'http://localhost:1' },
      { host: 'rebind.evil.example', origin: 'http://rebind.evil.example' },
    ];
    for (const method of METHODS)
      for (const path of PATHS)
        for (const headers of foreign) {
          const answer = await rawRequest(urls[listener], method, path, { ...credential(listener), ...headers });
          expect([method, path, headers, answer.status]).toEqual([method, path, headers, 403]);
        }
  });

  it('refuses an empty Host, and serves HTTP/1.0 without one, as probes send it', async () => {
    expect(await answerToBytes(urls[listener], 'GET /healthz HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 403/,
    );
    expect(await answerToBytes(urls[listener], 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 (200|404)/);
  });

  it('refuses before a body is read, and says which setting adds names', async () => {
    const headers = { host: 'evil.example', 'content-type': 'application/json', 'content-length': '1000000' };
    const { status, text } = await rawRequest(urls[listener], 'POST', '/mcp', headers);
    expect([status, JSON.parse(text)]).toEqual([
      403,
      expect.objectContaining({ status: 403, code: 'FORBIDDEN', detail: expect.stringContaining('SVC_ALLOWED_HOSTS') }),
    ]);
  });

  it('answers to its own names, without Origin and with its own', async () => {
    const port = new URL(urls[listener]).port;
    const own: Record<string, string>[] = [
      { host: `127.0.0.1:${port}` },
      { host: `LOCALHOST:${port}` },
      { host: `[::1]:${port}` },
      { host: 'box.local' },
      { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` },
      { host: `localhost:${port}`, origin: `http://localhost:${port}` },
      { host: 'box.local', origin: 'https://box.local' },
    ];
    for (const headers of own) {
      const answer = await rawRequest(urls[listener], 'GET', '/healthz', headers);
      expect([headers, passes(answer)]).toEqual([headers, true]);
    }
  });

  it('forbids browsers to guess types, to frame and to load anything, in every answer', async () => {
    const asks: [string, string, Record<string, string>, string?][] = [
      ['GET', '/healthz', {}],
      ['GET', '/readyz', {}],
      ['GET', '/metrics', {}],
      ['GET', '/nowhere', {}],
      ['GET', '/%', {}],
      ['GET', '/docs', {}],
      ['GET', '/docs/swagger-ui.css', {}],
      ['GET', '/mcp', {}],
      ['GET', '/sse', {}],
      ['GET', '/v1/documents/x', {}],
      ['GET', '/healthz', { host: 'evil.example' }],
      ['POST', '/v1/ingest', { 'content-type': 'application/json' }, '{'],
      ['POST', '/rpc', { 'content-type': 'text/plain' }, 'x'],
      ['POST', '/session', { expect: 'nothing' }, 'x'],
    ];
    for (const [method, path, headers, body] of asks) {
      const answer = await rawRequest(urls[listener], method, path, headers, body);
      expect([method, path, answer.status, guardsOf(answer)]).toEqual([method, path, answer.status, GUARDED]);
    }
    expect(await answerToBytes(urls[listener], 'nonsense\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400[^]*x-content-type-options: nosniff/,
    );
  });

  it('asks for TLS from now on where it is reached by a name, which only a proxy with TLS can give it', async () => {
    const hsts = async (host: string) =>
      (await rawRequest(urls[listener], 'GET', '/healthz', { host })).headers['strict-transport-security'];
    expect(await hsts('box.local')).toBe('max-age=31536000');
    expect([await hsts(hostOf(listener)), await hsts('localhost')]).toEqual([undefined, undefined]);
  });
});

const GUARDED = { nosniff: 'nosniff', frames: 'DENY', ancestors: true };
const guardsOf = ({ headers }: RawAnswer) => ({
  nosniff: headers['x-content-type-options'],
  frames: headers['x-frame-options'],
  ancestors: /^default-src 'none';.*frame-ancestors 'none'$/.test(String(headers['content-security-policy'])),
});

/** All that comes back for bytes that are no HTTP. */
function answerToBytes(url: string, bytes: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host, port: Number(port) }, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.once('end', () => resolve(text)).once('error', reject);
  });
}

describe('the gRPC listener, bound to loopback', () => {
  const codeAt = async (authority: string): Promise<number> => {
    const options = { 'grpc.default_authority': authority };
    const client = new Client(daemon.grpcAddress, credentials.createInsecure(), options);
    const asIs = (value: Buffer) => value;
    const { code } = await new Promise<ServiceError>((resolve, reject) => {
      client.makeUnaryRequest('/svc.daemon.v1.EventStreams/AppendBatch', asIs, asIs, Buffer.alloc(0), (error) =>
        error ? resolve(error) : reject(new Error('it was answered')),
      );
    }).finally(() => client.close());
    return code;
  };

  it('refuses a foreign :authority, and answers to its own names', async () => {
    expect([await codeAt('evil.example:4007'), await codeAt('10.0.0.1')]).toEqual([
      grpcStatus.PERMISSION_DENIED,
      grpcStatus.PERMISSION_DENIED,
    ]);
    for (const own of [daemon.grpcAddress, 'localhost:4007', 'box.local'])
      expect([own, await codeAt(own)]).toEqual([own, grpcStatus.UNIMPLEMENTED]);
  });
});

describe('HEAD', () => {
  const ANYTHING = '00000000-0000-4000-8000-000000000000';
  const filled = (path: string) => path.replace(/:\w+/g, ANYTHING).replace(/\*\w*/g, 'x');
  const DOCS = ['/docs', '/docs/', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js'];

  const gets = (listener: Listener): string[] => {
    if (listener === 'daemon-mcp') return ['/mcp', '/nowhere'];
    const { routes } = { api: api.app, tools: tools.app, daemon: daemon.app }[listener].get(RouteManifest);
    const documents = listener === 'daemon' ? ['/docs/openapi.json'] : ['/openapi.json', '/openapi.yaml'];
    const declared = routes.filter(({ verb }) => verb === 'GET').map(({ path }) => filled(path));
    return [...declared, ...DOCS, ...documents, '/nowhere'];
  };
  /** What must be the same in both answers. A body that is made for each request may differ in length. */
  const headOf = ({ status, headers }: RawAnswer) => ({
    status,
    type: headers['content-type'],
    policy: headers['content-security-policy'],
    caching: headers['cache-control'],
    challenge: headers['www-authenticate'],
  });
  const STREAMS = ['/sse', '/v1/events/stream', '/v1/activity/stream'];

  it.each(LISTENERS)('of %s answers as GET does, without a body, with and without a credential', async (listener) => {
    for (const headers of [{}, credential(listener)])
      for (const path of gets(listener)) {
        const head = await rawRequest(urls[listener], 'HEAD', path, headers);
        expect([path, head.text]).toEqual([path, '']);
        if (STREAMS.includes(path) && head.status === 200) {
          expect(head.headers['content-type']).toMatch(/^text\/event-stream/);
          continue;
        }
        const get = await rawRequest(urls[listener], 'GET', path, headers);
        expect([path, headOf(head)]).toEqual([path, headOf(get)]);
      }
  });

  it('asks for the scopes of GET, under every kind of route-auth', async () => {
    for (const mode of ['off', 'shadow', 'enforce']) {
      const other = await startDaemon({ database: daemon.database, env: { SVCD_ROUTE_AUTH: mode } });
      const heads = ['/v1/facts/list', '/v1/receipts/x', '/v1/events/stream', '/v1/nope'].map(async (path) => {
        const ask = (method: string, scopes: string) =>
          rawRequest(other.url, method, path, scopes ? { 'x-svc-scopes': scopes } : {});
        for (const scopes of ['', 'compute:embed'])
          expect([mode, path, scopes, (await ask('HEAD', scopes)).status]).toEqual([
            mode,
            path,
            scopes,
            (await ask('GET', scopes)).status,
          ]);
      });
      await Promise.all(heads);
      await other.close();
    }
  });
});

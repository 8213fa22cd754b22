import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { head, RawClient } from '../daemon-ingress/raw-client.js';

const MIB = 1024 * 1024;
const BUDGET_MIB = 4;
const env = {
  SVC_MAX_INFLIGHT_BODY_MIB: String(BUDGET_MIB),
  SVC_MAX_BODY_BYTES: String(BUDGET_MIB * MIB),
  SVC_MAX_FILE_MIB: String(BUDGET_MIB - 1),
  SVC_TOOLS_MAX_BODY_BYTES: String(BUDGET_MIB * MIB),
  SVCD_MAX_REQUEST_BODY_BYTES: String(BUDGET_MIB * MIB),
};
/** They send all but the end of their bodies, and wait. */
const CONNECTIONS = 20;

let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
beforeAll(async () => {
  api = await startApi({ env });
  tools = await startTools(api, { env });
  daemon = await startDaemon({ env });
}, 120_000);
afterAll(async () => {
  await tools.close();
  await api.close();
  await daemon.close();
});

interface Listener {
  app: NestFastifyApplication;
  port: number;
  /** Where a body goes, with the headers that it takes. */
  to: string;
  headers: string[];
  /** What one whole body is answered. */
  answer: number;
}

const portOf = (url: string): number => Number(new URL(url).port);
const keyOf = ({ tenant: { tenantId, apiKey } }: TestApi): string[] => [
  `x-tenant-id: ${tenantId}`,
  `x-api-key: ${apiKey}`,
];
const LISTENERS: Record<string, () => Listener> = {
  api: () => ({ app: api.app, port: portOf(api.url), to: 'POST /v1/retrieve', headers: keyOf(api), answer: 400 }),
  tools: () => ({ app: tools.app, port: portOf(tools.url), to: 'POST /rpc', headers: keyOf(api), answer: 200 }),
  daemon: () => ({
    app: daemon.app,
    port: portOf(daemon.url),
    to: 'PUT /v1/facts',
    headers: ['x-svc-scopes: facts:write'],
    answer: 400,
  }),
  mcp: () => ({ app: daemon.app, port: portOf(daemon.mcpUrl), to: 'POST /mcp', headers: [], answer: 400 }),
};

/** What the process says that it holds, in bytes. */
async function held({ app }: Listener): Promise<number> {
  const text = await app.get(Metrics).registry.getSingleMetricAsString('svc_inflight_body_bytes');
  return Number(/^svc_inflight_body_bytes (\S+)/m.exec(text)![1]);
}

const requestOf = ({ to, headers }: Listener, ...own: string[]): string =>
  head(to, 'content-type: application/json', ...headers, ...own);

/** JSON that no route takes, without its end. */
const BEGUN = `{"unknown":"${'x'.repeat(MIB / 2)}`;
const END = '"}';

async function begin(listener: Listener, isChunked: boolean): Promise<RawClient> {
  const client = await RawClient.open(listener.port);
  if (isChunked)
    return client.send(
      `${requestOf(listener, 'transfer-encoding: chunked')}${BEGUN.length.toString(16)}\r\n${BEGUN}\r\n`,
    );
  return client.send(requestOf(listener, `content-length: ${BEGUN.length + END.length}`) + BEGUN);
}

const SOON = { timeout: 20_000 };

/** They have all been heard: refused, or held to the last byte that they sent. */
async function settled(listener: Listener, clients: RawClient[]): Promise<RawClient[]> {
  const waiting = () => clients.filter(({ text, socket }) => text === '' && !socket.destroyed);
  await expect.poll(async () => (await held(listener)) === waiting().length * BEGUN.length, SOON).toBe(true);
  return waiting();
}

async function withClients(
  listener: Listener,
  open: () => Promise<RawClient>,
  use: (clients: RawClient[]) => Promise<void>,
): Promise<void> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  try {
    await use(clients);
  } finally {
    for (const client of clients) client.end();
  }
  await expect.poll(() => held(listener), SOON).toBe(0);
}

describe.each(Object.keys(LISTENERS))('bodies in flight at %s', (name) => {
  it.each([
    ['declared', false],
    ['sent in chunks', true],
  ])('that are %s are held up to the budget, and further ones refused', async (_, isChunked) => {
    const listener = LISTENERS[name]!();
    await withClients(
      listener,
      () => begin(listener, isChunked),
      async (clients) => {
        const waiting = await settled(listener, clients);
        expect(waiting.length).toBeGreaterThanOrEqual(1);
        expect(waiting.length).toBeLessThanOrEqual((BUDGET_MIB * MIB) / BEGUN.length);
        for (const client of clients.filter((one) => !waiting.includes(one))) {
          const { status, headers, body } = await client.answer();
          expect([status, headers['retry-after'], headers['connection']]).toEqual([503, '1', 'close']);
          expect(JSON.parse(body).detail).toContain('SVC_MAX_INFLIGHT_BODY_MIB');
        }
        for (const client of waiting)
          client.send(isChunked ? `${END.length.toString(16)}\r\n${END}\r\n0\r\n\r\n` : END);
        for (const client of waiting) expect((await client.answer()).status).toBe(listener.answer);
      },
    );
  });

  it('keep out neither health nor requests without a body', async () => {
    const listener = LISTENERS[name]!();
    await withClients(
      listener,
      () => begin(listener, false),
      async (clients) => {
        await settled(listener, clients);
        const [to, expected] = name === 'mcp' ? ['GET /mcp', 405] : ['GET /healthz', 200];
        const bare = await RawClient.open(listener.port);
        expect((await bare.send(requestOf({ ...listener, to })).answer()).status).toBe(expected);
        bare.end();
      },
    );
  });

  it('announce what they like: only what has come counts', async () => {
    const listener = LISTENERS[name]!();
    const open = async () =>
      (await RawClient.open(listener.port)).send(`${requestOf(listener, `content-length: ${MIB}`)}{`);
    await withClients(listener, open, () => expect.poll(() => held(listener), SOON).toBe(CONNECTIONS));
  });
});

describe('a body within the budget', () => {
  it('gives its share back as soon as it is answered', async () => {
    for (let round = 0; round < 3 * BUDGET_MIB; round += 1)
      expect((await api.tenant.call('POST', '/v1/retrieve', { query: 'x'.repeat(MIB) })).status).toBe(400);
  });

  it('is all that a route with a larger bound of its own takes', async () => {
    const listener = { ...LISTENERS['api']!(), to: 'POST /v1/ingest/batch' };
    const client = await RawClient.open(listener.port);
    const length = `content-length: ${BUDGET_MIB * MIB + 1}`;
    expect((await client.send(requestOf(listener, length)).answer()).status).toBe(413);
    client.end();
  });
});

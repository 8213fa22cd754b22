import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { startEmbeddings, type EmbeddingsServer } from '../../kit/embeddings.js';

const PATH = '/v1/compute/embed';

let endpoint: EmbeddingsServer;
let daemon: TestDaemon;
let embed: (body: unknown) => ReturnType<DaemonCall>;
beforeAll(async () => {
  endpoint = await startEmbeddings();
  const env = { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5', SVCD_COMPUTE_PROVIDER: '1' };
  daemon = await startDaemon({ env });
  embed = (body) => daemon.as({ scopes: 'compute:embed' })('POST', PATH, body);
});
afterAll(async () => {
  await daemon.close();
  await endpoint.close();
});

const faultOf = ({ body }: { body: any }) => [body.status, body.code, body.issues?.map(({ path }: any) => path)];

describe('POST /v1/compute/embed', () => {
  it('gives one vector of unit length a text, in their order, as OpenAI does', async () => {
    const { status, body } = await embed({ input: ['The sedan', 'A vessel'], model: 'words-5' });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'list',
      model: 'words-5',
      usage: { prompt_tokens: 2, total_tokens: 2 },
      data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: expect.any(Array) })),
    });
    const [first, second] = body.data.map(({ embedding }: any) => embedding);
    expect(Math.hypot(...first)).toBeCloseTo(1, 6);
    expect(first).not.toEqual(second);
    expect((await embed({ input: 'A vessel' })).body.data[0].embedding).toEqual(second);
  });

  it('writes them as 32-bit floats in base64 when asked', async () => {
    const floats = (await embed({ input: 'A vessel' })).body.data[0].embedding as number[];
    const { embedding } = (await embed({ input: 'A vessel', encoding_format: 'base64' })).body.data[0];
    const bytes = Buffer.from(embedding, 'base64');
    expect(floats.map((_, place) => bytes.readFloatLE(4 * place))).toEqual(floats);
    expect(bytes).toHaveLength(4 * floats.length);
  });

  it('asks the endpoint for at most 64 at a time, and sums up what it counts', async () => {
    const before = endpoint.requests.length;
    const { body } = await embed({ input: Array.from({ length: 150 }, (_, n) => `text ${n}`) });
    expect(endpoint.requests.slice(before).map(({ input }) => input.length)).toEqual([64, 64, 22]);
    expect(body.data.map(({ index }: any) => index)).toEqual(Array.from({ length: 150 }, (_, n) => n));
    expect(body.usage).toEqual({ prompt_tokens: 150, total_tokens: 150 });
  });

  it.each([
    [{}, 'body.input'],
    [{ input: '' }, 'body.input'],
    [{ input: [] }, 'body.input'],
    [{ input: ['a', ''] }, 'body.input'],
    [{ input: [1] }, 'body.input'],
    [{ input: Array.from({ length: 257 }, () => 'x') }, 'body.input'],
    [{ input: 'a', model: 'another' }, 'body.model'],
    [{ input: 'a', encoding_format: 'int8' }, 'body.encoding_format'],
    [{ input: 'a', dimensions: 8 }, 'body.dimensions'],
    [['a'], 'body'],
  ])('refuses %j naming the member', async (body, path) => {
    expect(faultOf(await embed(body))).toEqual([400, 'VALIDATION_FAILED', [path]]);
  });

  it('tries again what may pass, and answers 503 when it does not', async () => {
    endpoint.faults.push(503);
    expect((await embed({ input: 'a' })).status).toBe(200);
    endpoint.faults.push(429, 500);
    const { status, body, headers } = await embed({ input: 'a' });
    expect([status, body.retryable, headers.get('retry-after')]).toEqual([503, true, '5']);
  });

  it('answers 502 when the endpoint refuses', async () => {
    endpoint.faults.push(400);
    const { status, body } = await embed({ input: 'a' });
    expect([status, body.code, body.detail]).toEqual([
      502,
      'EMBEDDINGS_REFUSED',
      'The embeddings endpoint answered 400',
    ]);
  });

  it('takes compute:embed alone', async () => {
    const { status, body } = await daemon.as({ scopes: 'admin:write facts:write' })('POST', PATH, { input: 'a' });
    expect([status, body.missingAnyScope]).toEqual([403, ['compute:embed']]);
  });
});

describe('POST /v1/compute/embed while it is disabled', () => {
  const ways: [string, Record<string, string>, boolean, string][] = [
    ['by default', {}, false, 'set SVCD_COMPUTE_PROVIDER=1 and SVC_EMBEDDINGS_URL and start'],
    [
      'with an endpoint alone',
      { SVC_EMBEDDINGS_URL: 'http://127.0.0.1:9' },
      true,
      'set SVCD_COMPUTE_PROVIDER=1 and start',
    ],
    ['with the flag alone', { SVCD_COMPUTE_PROVIDER: '1' }, false, 'set SVC_EMBEDDINGS_URL and start'],
  ];

  it.each(ways)(
    '%s answers its envelope to whatever body, after credential and cap',
    async (_, env, isThere, advice) => {
      const off = await startDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce', ...env }, database: daemon.database });
      try {
        const call = off.as({ scopes: 'compute:embed' });
        for (const body of [undefined, {}, { input: 'a' }, { texts: ['a'] }, ['a']]) {
          const answer = await call('POST', PATH, body);
          expect([answer.status, answer.body]).toEqual([
            200,
            {
              enabled: false,
              capability: 'compute:embed',
              flag: 'SVCD_COMPUTE_PROVIDER',
              endpoint_configured: isThere,
              detail: expect.stringContaining(advice),
            },
          ]);
        }
        expect((await off.as({ scopes: 'admin:write' })('POST', PATH, {})).status).toBe(403);
        expect((await off.as({})('POST', PATH, {})).status).toBe(401);
        expect((await call('POST', PATH, { input: 'x'.repeat(512 * 1024) })).status).toBe(413);
      } finally {
        await off.close();
      }
    },
  );
});

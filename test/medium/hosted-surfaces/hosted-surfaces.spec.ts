import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { startUpstream, type TestUpstream } from '../../kit/upstream.js';
import { must } from '../work/given.js';

const GPU: [string, string][] = [
  ...['status', 'models'].map((name) => ['GET', name] as [string, string]),
  ...['embed', 'rerank', 'generate', 'summarize', 'classify'].map((name) => ['POST', name] as [string, string]),
];
let endpoint: TestUpstream;
let hosted: TestDaemon;
let bare: TestDaemon;
let community: TestDaemon;
beforeAll(async () => {
  endpoint = await startUpstream();
  const feature = { SVC_BUILD_FEATURES: 'hosted-surfaces' };
  const env = { ...feature, SVCD_GPU1_BASE_URL: endpoint.url, SVCD_GPU1_API_KEY: 'key-of-the-endpoint' };
  hosted = await startDaemon({ env: { ...env, SVCD_GPU1_TIMEOUT_MS: '300' } });
  const { database } = hosted;
  bare = await startDaemon({ database, env: feature });
  community = await startDaemon({ database, env: { SVCD_GPU1_BASE_URL: endpoint.url } });
});
beforeEach(() => {
  endpoint.answer = { status: 200, body: '{"vectors": [[1.0, 2.50]]}' };
  endpoint.asked.length = 0;
});
afterAll(async () => {
  for (const daemon of [community, bare, hosted]) await daemon.close();
  await endpoint.close();
});

const of = (on: TestDaemon): DaemonCall => on.as({ scopes: ALL_SCOPES, tenant: 'acme', passport: 'ada' });
const ask = (on: TestDaemon, method: string, name: string) =>
  of(on)(method, `/v1/gpu1/${name}`, method === 'POST' ? '{"input": ["a"],  "n": 1.0}' : undefined);

describe('the eight hosted routes', () => {
  it('are not there without the build feature, and say how they would be', async () => {
    const all = [...GPU.map(([method, name]) => [method, `/v1/gpu1/${name}`]), ['GET', '/v1/cloud/access-contract']];
    for (const [method, path] of all) {
      const { status, body } = await of(community)(method!, path!, method === 'POST' ? {} : undefined);
      expect([path, status, body.flag]).toEqual([path, 404, 'SVC_BUILD_FEATURES']);
      expect(body.detail).toContain('SVC_BUILD_FEATURES=hosted-surfaces');
    }
    const { paths } = await must(of(community)('GET', '/v1/openapi.json'));
    expect(Object.keys(paths).filter((path) => /gpu1|cloud/.test(path))).toEqual([]);
    expect(endpoint.asked).toEqual([]);
  });

  it('report that there is no endpoint, with a fallback', async () => {
    for (const [method, name] of GPU)
      expect((await ask(bare, method, name)).body).toEqual({
        ...{ endpoint_configured: false, fallback: true, surface: name, flag: 'SVCD_GPU1_BASE_URL' },
        detail: expect.stringContaining('SVCD_GPU1_BASE_URL'),
      });
    const contract = await must(of(bare)('GET', '/v1/cloud/access-contract'));
    expect([contract.endpoint_configured, contract.surfaces.length]).toEqual([false, 8]);
  });

  it('pass on byte for byte, both ways, with the key of the operator and no header of the request', async () => {
    for (const [method, name] of GPU) {
      const answer = await ask(hosted, method, name);
      expect([name, answer.status, answer.text]).toEqual([name, 200, '{"vectors": [[1.0, 2.50]]}']);
      const { headers, ...asked } = endpoint.asked.at(-1)!;
      expect(asked).toMatchObject({ method, url: `/engine/v2/${name}` });
      expect(headers.authorization).toBe('Bearer key-of-the-endpoint');
      expect(headers).toMatchObject({ 'x-svc-tenant-id': 'acme', 'x-svc-principal': 'passport:ada' });
      expect(headers['x-svc-scopes']).toBeUndefined();
    }
    const { endpoint_configured } = await must(of(hosted)('GET', '/v1/cloud/access-contract'));
    expect(endpoint_configured).toBe(true);
  });

  it('are 502 where the endpoint refuses, redirects, is late or answers no JSON of use', async () => {
    const answers: [TestUpstream['answer'], number | null][] = [
      [{ status: 503, body: '{}' }, 503],
      [{ status: 302, body: '{}', headers: { location: 'http://169.254.169.254/' } }, null],
      ['hang', null],
      [{ status: 200, body: 'nonsense' }, null],
      [{ status: 200, body: `${'['.repeat(60_000)}${']'.repeat(60_000)}` }, null],
    ];
    for (const [answer, endpoint_status] of answers) {
      endpoint.answer = answer;
      expect((await ask(hosted, 'POST', 'embed')).body).toMatchObject({
        status: 502,
        code: 'GPU_FAILED',
        endpoint_status,
      });
    }
  });

  it('take their scopes, and JSON alone', async () => {
    const other = hosted.as({ scopes: 'facts:write', tenant: 'acme' });
    expect((await other('POST', '/v1/gpu1/embed', {})).status).toBe(403);
    for (const body of ['{"input":', '[]', ''])
      expect([body, (await of(hosted)('POST', '/v1/gpu1/embed', body)).status]).toEqual([body, 400]);
    const large = JSON.stringify({ input: 'x'.repeat(1024 * 1024) });
    expect((await of(hosted)('POST', '/v1/gpu1/embed', large)).status).toBe(413);
    expect(endpoint.asked).toEqual([]);
  });
});

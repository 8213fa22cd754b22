import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.close());

describe('the daemon', () => {
  it('answers its liveness probe without a credential, with the ids of the request', async () => {
    const { status, body, headers } = await send(daemon.url, 'GET', '/healthz');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect(headers.get('x-request-id')).toMatch(/\S/);
    expect(headers.get('traceparent')).toMatch(/^00-/);
  });

  it('writes every failure as a problem of RFC 9457', async () => {
    const { status, headers, body } = await daemon.call('GET', '/v1/nothing-here');
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(body).toMatchObject({ type: 'urn:svc:errors/not-found', title: expect.any(String), status: 404 });
  });

  it('serves its manifest and its documentation', async () => {
    const manifest = await send(daemon.url, 'GET', '/v1/openapi.json');
    expect([manifest.status, manifest.body.openapi]).toEqual([200, '3.1.0']);
    expect((await send(daemon.url, 'GET', '/docs')).status).toBe(200);
  });
});

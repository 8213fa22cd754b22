import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type TestApi } from '../../kit/app.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('operations', () => {
  it('report that the server is alive', async () => {
    expect((await send(api.url, 'GET', '/healthz')).body).toEqual({ status: 'ok' });
  });

  it('report that the server is ready', async () => {
    const { status, body } = await send(api.url, 'GET', '/readyz');
    expect(body).toEqual({
      service: 'api',
      status: 'healthy',
      checks: { livez: { status: 'ok' }, readyz: { status: 'ok' } },
    });
    expect(status).toBe(200);
  });

  it('stay ready and report a database that a newer svc migrated', async () => {
    const owner = new Client({ connectionString: api.database.url });
    await owner.connect();
    await owner.query(`insert into migration (timestamp, name) values (1899000000000, 'AddFuture1899000000000')`);
    const { status, body } = await send(api.url, 'GET', '/readyz');
    await owner.query(`delete from migration where name = 'AddFuture1899000000000'`);
    await owner.end();
    const { version } = (await send(api.url, 'GET', '/build-info')).body;
    // The template of the test databases was migrated by this very version.
    const reason = new RegExp(
      `^The database was migrated by svc ${version}.*, and this svc ${version}.* AddFuture1899000000000;`,
    );
    expect([status, body.status]).toEqual([200, 'healthy']);
    expect(body.checks.readyz).toEqual({ status: 'ok', reason: expect.stringMatching(reason) });
    expect((await send(api.url, 'GET', '/readyz')).body.checks.readyz).toEqual({ status: 'ok' });
  });

  it('report what was built', async () => {
    const { body } = await send(api.url, 'GET', '/build-info');
    expect(body).toMatchObject({ service: 'svc', version: '0.1.0', commit: null, tag: null, tagUrl: null });
    expect(Date.parse(body.builtAt)).not.toBeNaN();
  });

  it('count requests by route and status', async () => {
    await send(api.url, 'GET', '/nowhere');
    const { text } = await send(api.url, 'GET', '/metrics');
    expect(text).toMatch(/svc_http_request_seconds_count\{method="GET",route="\/healthz",status="200"\} \d+/);
    expect(text).toMatch(/svc_http_request_seconds_count\{method="GET",route="none",status="404"\} \d+/);
    expect(text).toContain('svc_database_connections{state="idle"}');
    expect(text).toContain('svc_jobs{queue="ingest",state="queued"} 0');
  });

  it('give every answer a request id and a trace', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await send(api.url, 'GET', '/nowhere', undefined, {
      'x-request-id': 'abc.1',
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    });
    expect(answer.headers.get('x-request-id')).toBe('abc.1');
    expect(answer.headers.get('traceparent')).toMatch(new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    expect(answer.body).toEqual({
      type: 'NotFound',
      title: 'There is nothing at this address',
      status: 404,
      detail: 'See /docs for the addresses this server answers',
      message: 'See /docs for the addresses this server answers',
      request_id: 'abc.1',
      code: 'NOT_FOUND',
      retryable: false,
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../kit/app.js';
import { withCookie } from '../kit/tenant-fixture.js';

let api: TestApi;
let operations: Operation[];

interface Operation {
  verb: string;
  path: string;
  body?: Record<string, any>;
  required: string[];
  parameters: any[];
  credentialed: boolean;
  /** By the credential it asks for. */
  call: TestTenant['call'];
}

beforeAll(async () => {
  api = await startApi({ env: { FEATURE_SELF_SIGNUP: '1' } });
  const { inviteToken: token } = (await api.tenant.call('POST', '/v1/org/bootstrap-owner', { email: 'o@acme.test' }))
    .body;
  const accepted = await send(api.url, 'POST', '/v1/org/accept-invite', { token });
  const bySession = withCookie(api.url, accepted.headers.get('set-cookie')!.split(';')[0]!);
  const { body: document } = await send(api.url, 'GET', '/openapi.json');
  const resolve = (node: any): any => (node?.$ref ? document.components.schemas[node.$ref.split('/').at(-1)] : node);
  const bodyOf = (operation: any): any => resolve(operation.requestBody?.content['application/json'].schema);
  operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([verb, operation]) => ({
      verb: verb.toUpperCase(),
      path,
      body: bodyOf(operation)?.properties,
      required: bodyOf(operation)?.required ?? [],
      parameters: operation.parameters ?? [],
      credentialed: operation.security.length > 0,
      call:
        operation.security.some((one: object) => 'tenantId' in one) || operation.security.length === 0
          ? api.tenant.call
          : bySession,
    })),
  );
});
afterAll(() => api.close());

const filled = (path: string, value = '00000000-0000-4000-8000-000000000000') => path.replace(/\{\w+\}/g, value);
const verdict = ({ status, body }: Answer) => `${status} ${body?.type}`;
const isRefusal = ({ status }: Answer) => status >= 400 && status < 500;
/** The payment webhook refuses whatever is not signed before it reads it: its own tests try it. */
const bodies = () => operations.filter(({ body, path }) => body && !path.startsWith('/v1/webhooks/payment/'));
/** Of a body that no route takes. */
const refusalOf = (path: string) =>
  path.startsWith('/v1/webhooks/payment/') ? '401 Unauthorized' : '400 ValidationFailed';
/** A value that is of none of the types a schema allows. */
const wrong = (schema: any) =>
  JSON.stringify(schema).includes('"object"') || schema.allOf || schema.anyOf || schema.$ref ? 12.5 : { not: 'this' };

describe('malformed input', () => {
  it('finds routes with bodies', () => {
    expect(bodies().map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/v1/ingest', '/v1/ingest/batch', '/v1/retrieve', '/v1/citations', '/v1/proof/jobs']),
    );
  });

  it('a member of a wrong type is refused by name, for every member of every body', async () => {
    for (const { verb, path, body, call } of bodies()) {
      for (const [name, schema] of Object.entries(body!)) {
        if (name === 'tenantId') continue;
        const answer = await call(verb, filled(path), { tenantId: 'acme', [name]: wrong(schema) });
        const named = (answer.body.issues ?? []).some((issue: any) => issue.path === `body.${name}`);
        expect([path, name, verdict(answer), named]).toEqual([path, name, '400 ValidationFailed', true]);
      }
    }
  });

  it('members that are missing are asked for by name, each once', async () => {
    for (const { verb, path, required, call } of bodies()) {
      const missing = required.filter((name) => name !== 'tenantId');
      if (missing.length === 0) continue;
      const answer = await call(verb, filled(path), required.includes('tenantId') ? { tenantId: 'acme' } : {});
      const issues = (answer.body.issues ?? []).map((issue: any) => `${issue.path} ${issue.message}`);
      expect([path, verdict(answer), issues.sort()]).toEqual([
        path,
        '400 ValidationFailed',
        missing.map((name) => `body.${name} is required`).sort(),
      ]);
    }
  });

  it('a body that is no object, or not JSON, is refused', async () => {
    const cases: [string, string, Record<string, string>][] = [
      ['[]', '400 ValidationFailed', {}],
      ['7', '400 ValidationFailed', {}],
      ['"text"', '400 ValidationFailed', {}],
      ['{"a":', '400 MalformedRequest', {}],
      ['{"a":"\\u0000"}', '400 ValidationFailed', {}],
      ['{"a":"\\ud800"}', '400 ValidationFailed', {}],
      [`${'['.repeat(8_000)}${']'.repeat(8_000)}`, '400 ValidationFailed', {}],
      ['{}', '415 UnsupportedMediaType', { 'content-type': 'text/plain' }],
      ['a=b', '415 UnsupportedMediaType', { 'content-type': 'application/x-www-form-urlencoded' }],
    ];
    for (const { verb, path, call } of bodies()) {
      for (const [body, expected, headers] of cases) {
        const answer = await call(verb, filled(path), body, {
          'content-type': 'application/json',
          ...headers,
        });
        expect([path, body.slice(0, 20), verdict(answer)]).toEqual([path, body.slice(0, 20), expected]);
      }
    }
  });

  it('a body past the bound is refused before it is read', async () => {
    for (const { verb, path, call } of bodies()) {
      const bound = path.startsWith('/v1/ingest') ? 65 : 9;
      const answer = await call(verb, filled(path), `{"a":"${'x'.repeat(bound * 1024 * 1024)}"}`);
      expect([path, verdict(answer)]).toEqual([path, '413 PayloadTooLarge']);
    }
  });

  it('an unknown member is refused by name, except where extra members are allowed', async () => {
    for (const { verb, path, call } of bodies()) {
      const { body } = await call(verb, filled(path), { surprise: 1 });
      const named = (body.issues ?? []).some((issue: any) => issue.path === 'body.surprise');
      expect([path, named]).toEqual([path, path !== '/v1/proof/jobs']);
    }
  });

  it('an address or a head that cannot be read is refused as everything else is', async () => {
    const faults: [string, Record<string, string>, string][] = [
      ['/v1/corpora/%E0%A4%A', {}, '400 MalformedRequest'],
      [`/v1/ingest/${'x'.repeat(3000)}`, {}, '404 NotFound'],
      ['/v1/corpora', { 'x-long': 'x'.repeat(20_000) }, '431 HeadersTooLarge'],
    ];
    for (const [path, headers, expected] of faults) {
      const answer = await api.tenant.call('GET', path, undefined, headers);
      expect([path.slice(0, 30), verdict(answer)]).toEqual([path.slice(0, 30), expected]);
      expect(answer.body).toMatchObject({ message: expect.any(String), retryable: false });
      expect(answer.headers.get('x-request-id')).toBe(answer.body.request_id);
    }
  });

  it('names that every object has are no members, in free JSON neither', async () => {
    const bodies: object[] = [{ constructor: { x: 1 } }, { toString: 1 }, { junk: [{ constructor: { x: 1 } }] }];
    for (const { verb, path, call } of operations.filter(({ body }) => body))
      for (const body of bodies)
        expect([path, verdict(await call(verb, filled(path), body))]).toEqual([path, refusalOf(path)]);
    expect(verdict(await api.tenant.call('GET', '/v1/documents?constructor=1'))).toBe('400 ValidationFailed');
  });

  it('times that are none are refused by name, whatever Date makes of them', async () => {
    for (const since of ['0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-01-31T24:00:00Z', '2026-01-31']) {
      const answer = await api.tenant.call('GET', `/v1/events?since=${since}`);
      expect([since, verdict(answer), answer.body.issues[0].path]).toEqual([
        since,
        '400 ValidationFailed',
        'query.since',
      ]);
    }
    expect((await api.tenant.call('GET', '/v1/events?since=2028-02-29T23:59:59%2B14:00')).status).toBe(200);
  });

  it('ids and cursors that cannot be are refused, never with 500', async () => {
    const ids = ['%00', '%ff', '..%2f..%2fetc', "'%20or%20'1'='1", 'x'.repeat(2000), '%F0%9F%98%80', '-1', '1e999'];
    for (const { verb, path, credentialed } of operations.filter(({ path }) => path.includes('{'))) {
      for (const id of ids) {
        const answer = credentialed
          ? await api.tenant.call(verb, filled(path, id))
          : await send(api.url, verb, filled(path, id));
        // Names of agents are free: any text is one, and an agent that nobody knows has nothing.
        const fits = isRefusal(answer) || (path.includes('{agentId}') && answer.status === 200);
        expect([verb, path, id.slice(0, 20), fits]).toEqual([verb, path, id.slice(0, 20), true]);
      }
    }
    for (const { path } of operations.filter(
      ({ path, parameters }) => !path.includes('{') && parameters.some(({ name }) => name === 'cursor'),
    )) {
      for (const cursor of [
        'x',
        '%00',
        btoa('[true]'),
        btoa('[{"$gt":1},1,1]'),
        btoa('["\\u0000","\\u0000","\\u0000"]'),
        'x'.repeat(5000),
      ]) {
        const answer = await api.tenant.call('GET', `${filled(path)}?cursor=${encodeURIComponent(cursor)}`);
        expect([path, cursor.slice(0, 20), verdict(answer), answer.body.issues?.[0].path]).toEqual([
          path,
          cursor.slice(0, 20),
          '400 ValidationFailed',
          'query.cursor',
        ]);
      }
      for (const limit of ['0', '201', '1.5', 'ten', '']) {
        const answer = await api.tenant.call('GET', `${filled(path)}?limit=${limit}`);
        expect([path, limit, verdict(answer), answer.body.issues?.[0].path]).toEqual([
          path,
          limit,
          '400 ValidationFailed',
          'query.limit',
        ]);
      }
    }
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, secretOf, send, startApi, type TestApi } from '../../kit/app.js';

let first: TestApi;
let second: TestApi;
let legacy: TestApi;
let production: TestApi;

beforeAll(async () => {
  first = await startApi({ env: { SVC_JOBS: '0' } });
  const database = first.database;
  second = await startApi({ database, env: { SVC_JOBS: '0' } });
  legacy = await startApi({ database, env: { SVC_JOBS: '0', ALLOW_LEGACY_TENANT_FIELDS: '1' } });
  production = await startApi({
    database,
    env: {
      SVC_JOBS: '0',
      ALLOW_LEGACY_TENANT_FIELDS: '1',
      NODE_ENV: 'production',
      SVC_SESSION_SECRET: 'of the test, thirty-two characters long',
      SVC_BOOTSTRAP_API_KEY: 'chosen, thirty-two characters long',
    },
  });
});
afterAll(async () => {
  for (const api of [production, legacy, second, first]) await api.close();
});

const keys = <T>(work: (store: TenantsStore) => Promise<T>) =>
  TenantsStore.using({ ownerUrl: first.database.url }, work);

describe('API keys', () => {
  it('are stored as a hash and a prefix alone', async () => {
    const rows = await first.database.query<{ text: string }>(
      `select api_key::text as text from api_key where tenant_id = 'acme'`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.text).not.toContain(secretOf(first.tenant.apiKey));
  });

  it('stop working in every process within a second of their revocation', async () => {
    const made = await keys((store) => store.createKey('acme'));
    const calls = [first, second].map(({ url }) => caller(url, 'acme', made.key.apiKey));
    const statuses = async () =>
      (await Promise.all(calls.map((call) => call('GET', '/v1/corpora')))).map(({ status }) => status);
    expect([await statuses(), await statuses()]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    await keys((store) => store.revokeKey('acme', made.keyId));
    await sleep(1000);
    expect(await statuses()).toEqual([401, 401]);
  });

  it('are replaced by rotation in one step', async () => {
    const made = await keys((store) => store.createKey('acme'));
    const rotated = await keys((store) => store.rotateKey('acme', made.keyId));
    await sleep(1000);
    expect((await caller(first.url, 'acme', made.key.apiKey)('GET', '/v1/corpora')).status).toBe(401);
    expect((await caller(first.url, 'acme', rotated!.key.apiKey)('GET', '/v1/corpora')).status).toBe(200);
  });

  it('work as well when somebody else chose them', async () => {
    await keys((store) => store.createKey('acme', 'a-key-of-our-own'));
    expect((await caller(first.url, 'acme', 'a-key-of-our-own')('GET', '/v1/corpora')).status).toBe(200);
    expect((await caller(first.url, 'acme', 'a-key-of-our-owm')('GET', '/v1/corpora')).status).toBe(401);
  });

  it('say the same of an unknown tenant, an unknown key and a foreign key', async () => {
    const tried = [
      ['nobody', first.tenant.apiKey],
      ['acme', 'svc_key_000000000000_x'],
      ['acme', second.tenant.apiKey],
    ] as const;
    const bodies = await Promise.all(
      tried.map(async ([tenant, key]) => {
        const { status, body } = await caller(first.url, tenant, key)('GET', '/v1/corpora');
        return [status, body.type, body.detail];
      }),
    );
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toEqual([
      401,
      'Unauthorized',
      'Send x-tenant-id and x-api-key of the same tenant, or the cookie of a session',
    ]);
  });
});

describe('the tenant of a request', () => {
  const query = { query: 'anything at all', tenantId: 'acme' };
  const ask = (api: TestApi, headers: Record<string, string>, body: object = query) =>
    send(api.url, 'POST', '/v1/retrieve', body, { 'x-api-key': first.tenant.apiKey, ...headers });

  it('comes from the header', async () => {
    expect((await ask(first, { 'x-tenant-id': 'acme' })).status).toBe(200);
    expect((await ask(first, {})).status).toBe(401);
  });

  it('may come from body or query outside production, when allowed', async () => {
    expect((await ask(legacy, {})).status).toBe(200);
    expect((await ask(legacy, {}, { query: 'anything' })).status).toBe(401);
    expect((await ask(legacy, {}, { ...query, tenantId: 'umbrella' })).status).toBe(401);
    expect(
      (await send(legacy.url, 'GET', '/v1/corpora?tenantId=acme', undefined, { 'x-api-key': first.tenant.apiKey }))
        .status,
    ).toBe(200);
    expect((await ask(production, {})).status).toBe(401);
  });

  it('must be the same wherever it is named', async () => {
    for (const api of [first, legacy, production]) {
      const { status, body } = await ask(api, { 'x-tenant-id': 'acme' }, { ...query, tenantId: 'umbrella' });
      expect([status, body.type, body.detail]).toEqual([
        403,
        'Forbidden',
        'body.tenantId names another tenant than the credential',
      ]);
    }
  });

  it('is one refusal in both spellings of the query, and nothing to refuse where it is the same', async () => {
    const list = (named: string) => send(first.url, 'GET', `/v1/corpora?${named}`, undefined, headers);
    const headers = { 'x-tenant-id': 'acme', 'x-api-key': first.tenant.apiKey };
    for (const name of ['tenantId', 'tenant_id']) {
      const { status, body } = await list(`${name}=acme&${name}=umbrella`);
      expect([status, body.type, body.detail]).toEqual([
        403,
        'Forbidden',
        `query.${name} names another tenant than the credential`,
      ]);
      expect((await list(`${name}=acme`)).status).toBe(200);
    }
    expect((await list('tenant=acme')).status).toBe(400);
  });

  it('is nothing to refuse in a body that names the same, whether its route reads it or not', async () => {
    const call = (path: string, body: object, name: string, tenant: unknown) =>
      first.tenant.call('POST', path, { ...body, [name]: tenant });
    for (const [path, body, ok] of [
      ['/v1/org/invite', { email: 'grace@example.org' }, 201],
      ['/v1/shield/trust/publishers', { publisherId: 'acme', reason: 'Ours' }, 201],
      ['/v1/retrieve', { query: 'anything at all' }, 200],
    ] as const)
      for (const name of ['tenantId', 'tenant_id']) {
        expect((await call(path, body, name, 'acme')).status).toBe(ok);
        const refused = await call(path, body, name, 'umbrella');
        expect([refused.status, refused.body.detail]).toEqual([
          403,
          `body.${name} names another tenant than the credential`,
        ]);
        const wrong = await call(path, body, name, 7);
        expect([wrong.status, wrong.body.issues[0].path]).toEqual([400, `body.${name}`]);
      }
    const headers = { 'x-api-key': first.tenant.apiKey, 'x-idempotency-key': crypto.randomUUID() };
    const body = { tenantId: 'acme', email: 'ada@example.org' };
    expect((await send(legacy.url, 'POST', '/v1/org/invite', body, headers)).status).toBe(201);
  });

  it('a short approval token is refused by name', async () => {
    const { status, body } = await ask(first, { 'x-tenant-id': 'acme', 'x-shield-approval-token': 'short' });
    expect([status, body.issues[0].path]).toEqual([400, 'headers.x-shield-approval-token']);
    const free = await first.addTenant('free', 'free');
    const refused = await free.call('POST', '/v1/watches', {}, { 'x-shield-approval-token': 'short' });
    expect([refused.status, refused.body.policy]).toEqual([403, 'paid_tier']);
  });
});

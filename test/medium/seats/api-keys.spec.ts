import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { accept, cookieOf, givenMember, someEmail, until, WITHIN_MS } from './given.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let api: TestApi;
let tenants = 0;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const someTenant = () => api.addTenant(`keys-${++tenants}`);
const create = (by: Pick<TestTenant, 'call'>, body: object = { label: 'pipeline' }) =>
  by.call('POST', '/v1/org/api-keys', body);
const revoke = (by: Pick<TestTenant, 'call'>, id: string) => by.call('DELETE', `/v1/org/api-keys/${id}?reason=leaked`);
const rotate = (by: Pick<TestTenant, 'call'>, id: string, body?: object) =>
  by.call('POST', `/v1/org/api-keys/${id}/rotate`, body);
const opens = async (tenantId: string, apiKey: string, url = api.url) =>
  (await caller(url, tenantId, apiKey)('GET', '/v1/corpora')).status;
const verdict = ({ status, body }: Answer) => `${status} ${body.type ?? body.status}`;

describe('an API key', () => {
  it('is made by an owner, shown once, and listed with who made and ended it', async () => {
    const tenant = await someTenant();
    const owner = await givenMember(api.url, tenant, 'owner');
    const made = await create(owner);
    const shown = {
      id: expect.any(String),
      label: 'pipeline',
      prefix: made.body.apiKey.split('_')[2],
      status: 'active',
      createdAt: TIME,
      createdBy: `seat:${owner.seatId}`,
      expiresAt: null,
      revokedAt: null,
      revokedBy: null,
      revokeReason: null,
    };
    expect([made.status, made.body]).toEqual([
      201,
      { ...shown, apiKey: expect.stringMatching(/^svc_key_[0-9a-f]{12}_[\w-]{43}$/) },
    ]);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(await opens(tenant.tenantId, made.body.apiKey)).toBe(200);

    const revoked = await revoke(tenant, made.body.id);
    const ended = {
      ...shown,
      status: 'revoked',
      revokedAt: TIME,
      revokedBy: `key:${tenant.keyId}`,
      revokeReason: 'leaked',
    };
    expect([revoked.status, revoked.body]).toEqual([200, ended]);
    expect((await revoke(owner, made.body.id)).body).toEqual(revoked.body);
    const list = async (query: string) => (await owner.call('GET', `/v1/org/api-keys?${query}`)).body;
    expect(await list('')).toEqual({
      apiKeys: [expect.objectContaining({ id: tenant.keyId, label: null, createdBy: 'operator' }), revoked.body],
      next_cursor: null,
    });
    expect((await list('status=active')).apiKeys.map(({ id }: any) => id)).toEqual([tenant.keyId]);
    expect((await list(`createdBy=seat:${owner.seatId}`)).apiKeys).toEqual([revoked.body]);
    const first = await list('limit=1');
    expect((await list(`limit=1&cursor=${first.next_cursor}`)).apiKeys).toEqual([revoked.body]);
    const receipts = await api.database.query<any>('select kind from receipt where subject = $1 order by seq', [
      made.body.id,
    ]);
    expect(receipts.map(({ kind }) => kind)).toEqual(['api_key.created', 'api_key.revoked']);
  });

  it('cannot be managed by an admin', async () => {
    const tenant = await someTenant();
    const admin = await givenMember(api.url, tenant, 'admin');
    expect(verdict(await create(admin))).toBe('403 Forbidden');
    expect(verdict(await rotate(admin, tenant.keyId))).toBe('403 Forbidden');
  });

  it('ends itself and its sessions in another server within a second', async () => {
    const tenant = await someTenant();
    const second = await startApi({ database: api.database });
    try {
      const { apiKey, id } = (await create(tenant)).body;
      expect([
        await opens(tenant.tenantId, apiKey, second.url),
        await opens(tenant.tenantId, apiKey, second.url),
      ]).toEqual([200, 200]);
      const itself = { call: caller(api.url, tenant.tenantId, apiKey) };
      expect(verdict(await revoke(itself, id))).toBe('200 revoked');
      const waited = await until(async () => (await opens(tenant.tenantId, apiKey, second.url)) === 401);
      expect(waited).toBeLessThan(WITHIN_MS);
    } finally {
      await second.close();
    }
  });

  it('that is the last way in as owner cannot be revoked, however many are revoked at once', async () => {
    const tenant = await someTenant();
    expect(verdict(await revoke(tenant, tenant.keyId))).toBe('409 LastApiKey');
    await givenMember(api.url, tenant, 'admin');
    const expired = (await create(tenant, { label: 'brief', expiresAt: inFuture(3_600_000) })).body;
    await api.database.query('update api_key set expires_at = now() where key_id = $1', [expired.id]);
    expect(verdict(await revoke(tenant, tenant.keyId))).toBe('409 LastApiKey');

    const other = (await create(tenant)).body;
    const bothWays = await Promise.all([
      revoke(tenant, other.id),
      revoke({ call: caller(api.url, tenant.tenantId, other.apiKey) }, tenant.keyId),
    ]);
    expect(bothWays.filter(({ status }) => status === 200)).toHaveLength(1);

    const owned = await someTenant();
    const owner = await givenMember(api.url, owned, 'owner');
    expect(verdict(await revoke(owner, owned.keyId))).toBe('200 revoked');
    expect(verdict(await create(owner))).toBe('201 active');
  });

  it('is rotated in one step: its label and expiry go on, the old one ends', async () => {
    const tenant = await someTenant();
    const expiresAt = inFuture(3_600_000);
    const old = (await create(tenant, { label: 'batch', expiresAt })).body;
    const fresh = await rotate(tenant, old.id);
    expect([fresh.status, fresh.body]).toEqual([
      201,
      expect.objectContaining({ label: 'batch', expiresAt, status: 'active', createdBy: `key:${tenant.keyId}` }),
    ]);
    expect(await opens(tenant.tenantId, fresh.body.apiKey)).toBe(200);
    await until(async () => (await opens(tenant.tenantId, old.apiKey)) === 401);
    expect(verdict(await rotate(tenant, old.id))).toBe('409 ApiKeyEnded');
    expect(verdict(await rotate(tenant, crypto.randomUUID()))).toBe('404 ApiKeyUnknown');
    // The last key rotates itself.
    await revoke(tenant, fresh.body.id);
    expect((await rotate(tenant, tenant.keyId)).status).toBe(201);
  });

  it('stops working when it expires, though a server has cached it', async () => {
    const tenant = await someTenant();
    const { apiKey, id, expiresAt } = (await create(tenant, { label: 'brief', expiresAt: inFuture(1_200) })).body;
    expect(await opens(tenant.tenantId, apiKey)).toBe(200);
    await until(async () => (await opens(tenant.tenantId, apiKey)) === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    const { apiKeys } = (await tenant.call('GET', '/v1/org/api-keys?status=expired')).body;
    expect(apiKeys.map((key: any) => key.id)).toEqual([id]);
    expect(verdict(await rotate(tenant, id))).toBe('409 ApiKeyEnded');
    // Of the command line.
    await TenantsStore.using({ ownerUrl: api.database.url }, async (store) => {
      expect(await store.rotateKey(tenant.tenantId, id)).toBeUndefined();
      const states = (await store.listKeys(tenant.tenantId)).map(({ key_id, status }) => [key_id, status]);
      expect(states).toEqual([
        [tenant.keyId, 'active'],
        [id, 'expired'],
      ]);
    });
  });

  it('of another tenant is not there', async () => {
    const [tenant, rival] = [await someTenant(), await someTenant()];
    expect(verdict(await revoke(tenant, rival.keyId))).toBe('404 ApiKeyUnknown');
    expect(verdict(await rotate(tenant, rival.keyId))).toBe('404 ApiKeyUnknown');
    expect((await tenant.call('GET', '/v1/org/api-keys')).text).not.toContain(rival.keyId);
    expect(await opens(rival.tenantId, rival.apiKey)).toBe(200);
  });

  it.each<[object, string]>([
    [{}, 'body.label'],
    [{ label: '' }, 'body.label'],
    [{ label: ' ' }, 'body.label'],
    [{ label: 'x'.repeat(121) }, 'body.label'],
    [{ label: 'x', expiresAt: 'tomorrow' }, 'body.expiresAt'],
    [{ label: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'body.expiresAt'],
    [{ label: 'x', role: 'admin' }, 'body.role'],
  ])('is refused for %j', async (body, path) => {
    const refused = await create(api.tenant, body);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, path]);
  });
});

const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('a secret that is shown once', () => {
  it('is shown again to a repeat with the same idempotency key, and stands nowhere in the database', async () => {
    const tenant = await someTenant();
    const twice = async (method: string, path: string, body?: object) => {
      const headers = { 'x-idempotency-key': crypto.randomUUID() };
      const [first, again] = [
        await tenant.call(method, path, body, headers),
        await tenant.call(method, path, body, headers),
      ];
      expect([first.status, again.status, again.headers.get('x-idempotency-replayed'), again.body]).toEqual([
        201,
        201,
        'true',
        first.body,
      ]);
      expect(again.headers.get('cache-control')).toBe('no-store');
      return first.body;
    };
    const owner = await twice('POST', '/v1/org/bootstrap-owner', { email: someEmail() });
    const invited = await twice('POST', '/v1/org/invite', { email: someEmail() });
    const made = await twice('POST', '/v1/org/api-keys', { label: 'x' });
    const rotated = await twice('POST', `/v1/org/api-keys/${made.id}/rotate`);
    const session = await send(api.url, 'POST', '/v1/org/accept-invite', { token: invited.inviteToken });
    const secrets = [owner.inviteToken, invited.inviteToken, made.apiKey, rotated.apiKey].map((secret) =>
      secret.slice(-43),
    );
    secrets.push(decodeURIComponent(cookieOf(session)).split('.')[1]!);
    expect(new Set(secrets.map(({ length }) => length))).toEqual(new Set([43]));
    expect(await rowsWith(secrets)).toEqual([]);
    // The search itself finds what is there.
    expect(await rowsWith([owner.userEmail])).toContain('public.seat');
    await accept(api.url, owner.inviteToken);
  });

  it('cannot be moved to another record', async () => {
    const tenant = await someTenant();
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
    const call = (key: string) => tenant.call('POST', '/v1/org/api-keys', { label: 'x' }, { 'x-idempotency-key': key });
    await call(one);
    await call(two);
    await api.database.query(
      `update idempotent_request set body = (select body from idempotent_request where idempotency_key = $1) where idempotency_key = $2`,
      [one, two],
    );
    expect(verdict(await call(two))).toBe('422 IdempotencyKeyReused');
    expect((await call(one)).headers.get('x-idempotency-replayed')).toBe('true');
  });
});

/** The tables of the whole database with a row that holds one of the texts, as text or as bytes. */
async function rowsWith(texts: string[]): Promise<string[]> {
  const tables = await api.database.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname in ('public', 'pgboss') and c.relname <> 'sql_function' order by 1`,
  );
  // One after another: each has a connection of its own.
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await api.database.query(
      `select 1 from ${name} t, unnest($1::text[]) as wanted(secret)
       where strpos(t::text, wanted.secret) > 0 or strpos(t::text, encode(convert_to(wanted.secret, 'UTF8'), 'hex')) > 0 limit 1`,
      [texts],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

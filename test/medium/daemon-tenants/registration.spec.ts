import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { createTenants, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { claims, hs256, HS256_ENV } from '../daemon-auth/given.js';

let daemon: TestDaemon;
beforeAll(async () => void (daemon = await startDaemon()));
afterAll(() => daemon.close());

const newName = (): string => `t-${randomUUID().slice(0, 8)}`;
const inTenant = (tenant: string, scopes = 'facts:write query:read'): DaemonCall => daemon.as({ scopes, tenant });
const fact = (key = 'city') => ({ entity: 'office', key, value: 'Lisbon' });

/** What the database knows of a tenant: its row, the event and the receipt of its registration. */
async function registrationOf(tenant: string) {
  const [rows, events, receipts] = await Promise.all([
    daemon.database.query<{ tier: string; implicit: boolean }>(
      'select tier, implicit from tenant where tenant_id = $1',
      [tenant],
    ),
    daemon.database.query(`select data from outbox_event where tenant_id = $1 and kind = 'tenant.registered'`, [
      tenant,
    ]),
    daemon.database.query(`select from receipt where tenant_id = $1 and kind = 'tenant.registered'`, [tenant]),
  ]);
  return { rows, events: events.length, receipts: receipts.length };
}
const ONCE = { rows: [{ tier: 'free', implicit: true }], events: 1, receipts: 1 };
const NEVER = { rows: [], events: 0, receipts: 0 };

/** Every write route that can make data where there was none. */
const WRITES: Record<string, (tenant: string) => Promise<{ status: number }>> = {
  'PUT /v1/facts': (tenant) => inTenant(tenant)('PUT', '/v1/facts', fact()),
  'PUT /v1/facts/bulk': (tenant) => inTenant(tenant)('PUT', '/v1/facts/bulk', [fact('a'), fact('b')]),
  'PUT /v1/entities/:kind/:id': (tenant) => inTenant(tenant)('PUT', '/v1/entities/note/one', { payload: {} }),
  'PUT /v1/edges': (tenant) =>
    inTenant(tenant)('PUT', '/v1/edges', { from_kind: 'a', from_id: '1', edge_kind: 'is', to_kind: 'b', to_id: '2' }),
  'POST /v1/relations': (tenant_id) =>
    daemon.call('POST', '/v1/relations', { tenant_id, from_id: 1, to_id: 2, edge_type: 'near' }),
  'POST /v1/append': (tenant_id) =>
    daemon.call('POST', '/v1/append', {
      tenant_id,
      stream_type: 'order',
      stream_id: 'o-1',
      events: [{ type: 'placed', payload: {} }],
    }),
  'POST /v1/local/ingest': (tenant_id) =>
    daemon.call('POST', '/v1/local/ingest', {
      tenant_id,
      corpus_id: 'notes',
      documents: [{ doc_id: 'd', title: 'A title', text: 'Wombats dig at night.' }],
    }),
};

describe('the first write in a tenant that nobody registered, in a development mode', () => {
  it.each(Object.keys(WRITES))('%s registers it, with an event and a receipt', async (route) => {
    const tenant = newName();
    expect((await WRITES[route]!(tenant)).status).toBeLessThan(300);
    expect(await registrationOf(tenant)).toEqual(ONCE);
    expect((await WRITES[route]!(tenant)).status).toBeLessThan(300);
    expect(await registrationOf(tenant)).toEqual(ONCE);
  });

  it('registers the tenant of the daemon itself as well', async () => {
    expect((await daemon.call('PUT', '/v1/facts', fact())).status).toBe(201);
    expect(await registrationOf('default')).toEqual(ONCE);
  });

  it('registers it by a tool of MCP', async () => {
    const tenant = newName();
    const reply = await fetch(daemon.mcpUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-svc-scopes': 'facts:write',
        'x-svc-tenant-id': tenant,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'store_fact', arguments: fact() },
      }),
    });
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('fact_id')]);
    expect(await registrationOf(tenant)).toEqual(ONCE);
  });

  it('registers it once however many come at the same time, and all are stored', async () => {
    const tenant = newName();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => inTenant(tenant)('PUT', '/v1/facts', fact(`key-${n}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await registrationOf(tenant)).toEqual(ONCE);
    const { body } = await inTenant(tenant)('GET', '/v1/facts/list');
    expect(body.facts).toHaveLength(24);
  });

  it('registers nothing when the write fails', async () => {
    const tenant = newName();
    const stale = { stream_type: 'order', stream_id: 'o', expected_next_seq: 7, events: [{ type: 'a', payload: {} }] };
    expect((await daemon.call('POST', '/v1/append', { tenant_id: tenant, ...stale })).status).toBe(409);
    expect((await inTenant(tenant)('DELETE', `/v1/facts/${randomUUID()}`)).status).toBe(404);
    expect((await inTenant(tenant)('DELETE', '/v1/entities/note/none')).status).toBe(404);
    expect(await registrationOf(tenant)).toEqual(NEVER);
  });

  it('reads nothing before, and a read registers nothing', async () => {
    const tenant = newName();
    const { status, body } = await inTenant(tenant)('GET', '/v1/facts/list');
    expect([status, body.facts]).toEqual([200, []]);
    expect(await registrationOf(tenant)).toEqual(NEVER);
  });

  it('refuses a name that a tenant could not be created by', async () => {
    const tenant = 'a "quoted" name';
    const { status, body } = (await WRITES['POST /v1/relations']!(tenant)) as Awaited<ReturnType<DaemonCall>>;
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'tenant_id', message: expect.stringContaining('1 to 120 letters, digits') }],
    ]);
    expect(await registrationOf(tenant)).toEqual(NEVER);
  });
});

describe('a tenant that nobody registered, in a mode of tokens', () => {
  let strict: TestDaemon;
  const as = async (on: TestDaemon, tenant: string, scope = 'facts:write query:read admin:write') =>
    on.as({ bearer: await hs256(claims({ tenant_id: tenant, scope })) });
  beforeAll(async () => void (strict = await startDaemon({ env: HS256_ENV, database: daemon.database })));
  afterAll(() => strict.close());

  it('is refused, to writers and to readers, with what to do', async () => {
    const tenant = newName();
    const call = await as(strict, tenant);
    for (const { status, body } of [
      await call('PUT', '/v1/facts', fact()),
      await call('GET', '/v1/facts?query=lisbon'),
      await call('GET', '/v1/facts/list'),
      await call('GET', '/v1/events/stream'),
      await call('POST', '/v1/relations', { tenant_id: tenant, from_id: 1, to_id: 2, edge_type: 'near' }),
    ])
      expect([status, body]).toMatchObject([
        403,
        {
          code: 'TENANT_NOT_REGISTERED',
          tenant_id: tenant,
          detail: expect.stringMatching(/svc tenant create .*SVCD_JWT_CREATE_TENANTS=1/),
        },
      ]);
    expect(await registrationOf(tenant)).toEqual(NEVER);
  });

  it('works once it is created, without a restart, and ends when it is deleted', async () => {
    const tenant = newName();
    const call = await as(strict, tenant);
    expect((await call('GET', '/v1/facts/list')).status).toBe(403);
    await daemon.database.query(`insert into tenant (tenant_id, tier) values ($1, 'free')`, [tenant]);
    expect((await call('PUT', '/v1/facts', fact())).status).toBe(201);
    expect((await call('GET', '/v1/facts/list')).status).toBe(200);
    await daemon.database.query('delete from tenant where tenant_id = $1', [tenant]);
    await expect.poll(async () => (await call('PUT', '/v1/facts', fact())).status, { timeout: 10_000 }).toBe(403);
  });

  it('is registered by the first write with SVCD_JWT_CREATE_TENANTS=1, and empty before', async () => {
    const tenant = newName();
    const open = await startDaemon({
      env: { ...HS256_ENV, SVCD_JWT_CREATE_TENANTS: '1' },
      database: daemon.database,
    });
    try {
      const call = await as(open, tenant);
      expect((await call('GET', '/v1/facts/list')).body.facts).toEqual([]);
      expect(await registrationOf(tenant)).toEqual(NEVER);
      expect((await call('PUT', '/v1/facts', fact())).status).toBe(201);
      expect(await registrationOf(tenant)).toEqual(ONCE);
    } finally {
      await open.close();
    }
  });

  it('is asked of the database once in seconds, not at each request', async () => {
    const tenant = newName();
    await createTenants(daemon.database, [tenant]);
    const call = await as(strict, tenant);
    const sent = vi.spyOn(strict.app.get(Tenancy).pool, 'query');
    const began = performance.now();
    for (let n = 0; n < 30; n += 1) {
      expect((await call('PUT', '/v1/facts', fact(`key-${n}`))).status).toBe(201);
      expect((await call('GET', '/v1/facts?query=lisbon')).status).toBe(200);
    }
    const looks = sent.mock.calls.filter(([query]) => JSON.stringify(query).includes('svc_find_tenant'));
    sent.mockRestore();
    // An answer is cached for five seconds.
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 5000));
  });
});

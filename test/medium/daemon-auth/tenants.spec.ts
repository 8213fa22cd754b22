import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { claims, hs256, HS256_ENV } from './given.js';

interface Line {
  msg: string;
  tenant?: string;
  principal?: string;
}

let daemon: TestDaemon;
const lines: Line[] = [];
beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const tenants = ['default', 'alfa', 'beta', 'gamma', 'delta'];
  daemon = await startDaemon({ env: HS256_ENV, log, tenants });
});
afterAll(() => daemon.close());

/** Who holds a token of these claims; a tenant is chosen by X-Svc-Tenant-Id. */
async function as(changed: Record<string, unknown>, tenant?: string): Promise<DaemonCall> {
  const bearer = await hs256(claims({ tenant_id: undefined, scope: 'facts:write facts:read', ...changed }));
  return daemon.as({ bearer, tenant });
}
const alfa = () => as({ tenant_id: 'alfa' });
const beta = () => as({ tenants: ['beta'] });

const PLACE = '/v1/entities/note/shared-name';
const put = (call: DaemonCall, title: string) => call('PUT', PLACE, { payload: { title } });
const relate = (call: DaemonCall, tenant_id: string) =>
  call('POST', '/v1/relations', { tenant_id, from_id: 1, to_id: 2, edge_type: 'near' });
const mismatch = (tenant_id: string) => [403, { code: 'TENANT_MISMATCH', title: 'Forbidden', tenant_id }];

async function titleFor(call: DaemonCall): Promise<unknown> {
  const { status, body } = await call('GET', PLACE);
  return status === 200 ? JSON.stringify(body).match(/of \w+/)?.[0] : status;
}

describe('two tenants', () => {
  it('have each their own under the same name, and see nothing of the other', async () => {
    expect((await put(await alfa(), 'of alfa')).status).toBe(200);
    expect(await titleFor(await beta())).toBe(404);
    expect((await put(await beta(), 'of beta')).status).toBe(200);
    expect([await titleFor(await alfa()), await titleFor(await beta())]).toEqual(['of alfa', 'of beta']);
    expect((await (await beta())('DELETE', PLACE)).status).toBe(200);
    expect(await titleFor(await alfa())).toBe('of alfa');
  });

  it('cannot choose each other by header', async () => {
    const { status, body } = await (await as({ tenant_id: 'beta' }, 'alfa'))('GET', PLACE);
    expect([status, body]).toMatchObject(mismatch('alfa'));
  });

  it('cannot name each other on a route that is bound to a tenant', async () => {
    expect((await relate(await beta(), 'beta')).status).toBeLessThan(300);
    const { status, body } = await relate(await beta(), 'alfa');
    expect([status, body]).toMatchObject(mismatch('alfa'));
  });
});

describe('a token for several tenants', () => {
  const both = (tenant?: string) => as({ tenants: ['alfa', 'beta'], tenant_id: 'gamma' }, tenant);

  it('works in the one that is chosen, and in none before', async () => {
    expect(await titleFor(await both('alfa'))).toBe('of alfa');
    expect(await titleFor(await both('beta'))).toBe(404);
    const { status, body } = await (await both())('GET', PLACE);
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'headers.x-svc-tenant-id', message: 'is needed: the credential covers several tenants' }],
    ]);
  });

  it('covers all of them, and no other', async () => {
    for (const tenant of ['alfa', 'beta', 'gamma'])
      expect((await relate(await both(), tenant)).status).toBeLessThan(300);
    expect((await relate(await both(), 'delta')).status).toBe(403);
  });

  it('covers every tenant with *', async () => {
    const all = await as({ tenants: ['*'] });
    expect((await relate(all, 'delta')).status).toBeLessThan(300);
    expect(await titleFor(await as({ tenants: ['*'] }, 'alfa'))).toBe('of alfa');
  });
});

describe('a token without a tenant', () => {
  const REMEDY = /^The token covers no tenant: .*svc token --tenant.*SVCD_JWT_DEFAULT_TENANT/;

  it('works in none, not in that of the daemon either, and the answer says what to do', async () => {
    const scope = 'facts:write facts:read query:read receipts:read admin:write';
    for (const [method, path, body] of [
      ['PUT', PLACE, { payload: {} }],
      ['GET', PLACE],
      ['PUT', '/v1/facts', { entity: 'office', key: 'city', value: 'Lisbon' }],
      ['GET', '/v1/facts?query=lisbon'],
      ['GET', '/v1/facts/list'],
      ['GET', '/v1/receipts/list'],
    ] as const) {
      const answer = await (await as({ scope }))(method, path, body);
      expect([path, answer.status, answer.body]).toMatchObject([
        path,
        403,
        { code: 'TENANT_MISMATCH', detail: expect.stringMatching(REMEDY) },
      ]);
    }
    expect(await titleFor(await as({ tenant_id: 'default' }))).toBe(404);
  });

  it('covers none that it names either', async () => {
    for (const tenant of ['default', 'alfa']) {
      const { status, body } = await relate(await as({}), tenant);
      expect([status, body]).toMatchObject(mismatch(tenant));
      expect(body.detail).toMatch(REMEDY);
    }
  });

  it('still reads what is of no tenant', async () => {
    const call = await as({});
    for (const path of ['/v1/auth/mode', '/v1/auth/keys', '/v1/version', '/v1/openapi.json'])
      expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
  });

  it('has the one of SVCD_JWT_DEFAULT_TENANT, as if it named it', async () => {
    const env = { ...HS256_ENV, SVCD_JWT_DEFAULT_TENANT: 'gamma' };
    const second = await startDaemon({ env, database: daemon.database });
    try {
      const bearer = await hs256(claims({ tenant_id: undefined, scope: 'facts:write facts:read receipts:read' }));
      const call = second.as({ bearer });
      expect((await put(call, 'of gamma')).status).toBe(200);
      expect((await relate(call, 'gamma')).status).toBeLessThan(300);
      expect((await call('GET', '/v1/receipts/list')).status).toBe(200);
      expect((await relate(call, 'alfa')).status).toBe(403);
      expect((await put(second.as({ bearer, tenant: 'alfa' }), 'of gamma')).status).toBe(403);
    } finally {
      await second.close();
    }
    expect(await titleFor(await as({ tenant_id: 'gamma' }))).toBe('of gamma');
  });

  it('chooses none by header', async () => {
    expect((await (await as({}, 'alfa'))('GET', PLACE)).status).toBe(403);
  });
});

describe('an admin scope', () => {
  const crossings = async () => {
    const metric = await daemon.app.get(Metrics).registry.getSingleMetric('svc_cross_tenant_total')!.get();
    return metric.values.find(({ labels }) => labels.reason === 'admin scope')?.value ?? 0;
  };
  const entries = () => lines.filter(({ msg }) => msg === 'an admin scope entered a tenant');

  it('opens every tenant, and each entry that is not its own is counted and logged', async () => {
    const operator = await as({ scope: 'admin:write', tenant_id: 'beta', passport_id: 'p-operator' });
    const [before, logged] = [await crossings(), entries().length];
    expect((await relate(operator, 'beta')).status).toBeLessThan(300);
    expect((await relate(operator, 'default')).status).toBeLessThan(300);
    expect(await crossings()).toBe(before + 1);
    expect(entries().slice(logged)).toMatchObject([{ tenant: 'default', principal: 'passport:p-operator' }]);
  });

  it('enters by header too', async () => {
    const before = await crossings();
    expect(await titleFor(await as({ scope: 'admin:read', tenant_id: 'beta' }, 'alfa'))).toBe('of alfa');
    expect(await crossings()).toBe(before + 1);
  });

  it('does not open other tenants where another scope opened the route', async () => {
    const mixed = await as({ scope: 'admin:read facts:write', tenant_id: 'beta' });
    expect((await relate(mixed, 'alfa')).status).toBe(403);
  });
});

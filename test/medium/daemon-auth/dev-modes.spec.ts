import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { sendHeaders } from './raw-headers.js';

const PLACE = '/v1/entities/note/one';
/** A route of admin:write: in is 400 for an empty body. */
const ASKED = '/v1/append';

describe('dev_scopes', () => {
  let daemon: TestDaemon;
  const principals: (string | undefined)[] = [];
  const warnings: string[] = [];
  beforeAll(async () => {
    const write = (line: string) => {
      const { msg, level, principal } = JSON.parse(line) as { msg: string; level: number; principal?: string };
      if (msg === 'http_control') principals.push(principal);
      if (level === pino.levels.values.warn) warnings.push(msg);
    };
    daemon = await startDaemon({ log: pino({ level: 'info' }, { write }) });
  });
  afterAll(() => daemon.close());
  const statusWith = async (headers: Record<string, string>) =>
    (await send(daemon.url, 'POST', ASKED, {}, headers)).status;

  it('warns at the start that it trusts everybody on this machine, and names a mode that does not', () => {
    expect(warnings).toContainEqual(
      expect.stringMatching(/everybody on this machine may do everything.*SVCD_AUTH_MODE=jwt_hs256.*svc token/),
    );
  });

  it.each([
    ['X-Svc-Scopes', { 'x-svc-scopes': 'admin:write' }],
    ['commas and blanks', { 'x-svc-scopes': 'facts:read,  admin:write\tquery:read' }],
    ['a bearer list', { authorization: 'Bearer query:read,admin:write' }],
    ['a bearer list with blanks', { authorization: 'bearer query:read admin:write' }],
    ['the header before the bearer', { 'x-svc-scopes': 'admin:write', authorization: 'Bearer facts:read' }],
    ['the bearer where the header says nothing', { 'x-svc-scopes': ' , ', authorization: 'Bearer admin:write' }],
  ])('takes %s', async (_, headers) => {
    expect(await statusWith(headers)).toBe(400);
  });

  it.each([
    ['other scopes', { 'x-svc-scopes': 'admin:read' }],
    ['the header although the bearer would do', { 'x-svc-scopes': 'facts:read', authorization: 'Bearer admin:write' }],
    ['what only begins like a scope', { 'x-svc-scopes': 'admin:write:more' }],
  ])('refuses %s', async (_, headers) => {
    expect(await statusWith(headers)).toBe(403);
  });

  it.each([
    ['nothing', {}],
    ['an empty list', { 'x-svc-scopes': ' ,, ' }],
    ['a bearer of nothing', { authorization: 'Bearer ' }],
    ['Basic', { authorization: 'Basic YTpi' }],
  ])('answers 401 with a hint to %s', async (_, headers) => {
    const { status, body, headers: answered } = await send(daemon.url, 'POST', ASKED, {}, headers);
    expect([status, body.hint, answered.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/X-Svc-Scopes.*Bearer <scope list>/),
      'Bearer realm="svc"',
    ]);
  });

  it('trusts the passport as sent', async () => {
    const call = daemon.as({ scopes: 'facts:read', passport: 'p:1.a_b-c' });
    await call('GET', PLACE);
    expect(principals.at(-1)).toBe('passport:p:1.a_b-c');
    await daemon.as({ scopes: 'facts:read' })('GET', PLACE);
    expect(principals.at(-1)).toBe('anonymous');
  });

  it.each([['two words'], ['a/b'], ['x'.repeat(129)], ['pässport']])('refuses the passport %s', async (passport) => {
    const headers = ['X-Svc-Scopes', 'admin:write', 'X-Svc-Passport-Id', Buffer.from(passport).toString('latin1')];
    expect(await sendHeaders(daemon.url, '/healthz', headers)).toBe(400);
  });

  it('works in the tenant of X-Svc-Tenant-Id and is bound to it, or in the default one and bound to none', async () => {
    const relate = (tenant: string | undefined, tenant_id: string) =>
      daemon.as({ scopes: 'facts:write', tenant })('POST', '/v1/relations', {
        ...{ tenant_id, from_id: 1, to_id: 2, edge_type: 'near' },
      });
    const bound = daemon.as({ scopes: 'facts:write facts:read', tenant: 'alfa' });
    expect((await bound('PUT', PLACE, { payload: {} })).status).toBe(200);
    expect((await bound('GET', PLACE)).status).toBe(200);
    expect((await daemon.as({ scopes: 'facts:read' })('GET', PLACE)).status).toBe(404);
    expect((await relate('alfa', 'alfa')).status).toBeLessThan(300);
    expect((await relate(undefined, 'alfa')).status).toBeLessThan(300);
    expect((await relate('alfa', 'beta')).body).toMatchObject({ code: 'TENANT_MISMATCH', tenant_id: 'beta' });
  });

  it.each([['a,b'], ['two words'], ['x'.repeat(121)], ['münchen']])(
    'refuses to choose the tenant %s',
    async (tenant) => {
      const headers = ['X-Svc-Scopes', 'admin:write', 'X-Svc-Tenant-Id', Buffer.from(tenant).toString('latin1')];
      expect(await sendHeaders(daemon.url, ASKED, headers)).toBe(400);
    },
  );

  it('refuses a tenant that is chosen twice', async () => {
    const twice = ['X-Svc-Tenant-Id', 'alfa', 'X-Svc-Tenant-Id', 'beta'];
    expect(await sendHeaders(daemon.url, ASKED, ['X-Svc-Scopes', 'admin:write', ...twice])).toBe(400);
  });

  it('looks at no credential where none is asked for', async () => {
    const { status, body } = await send(daemon.url, 'GET', '/v1/auth/mode', undefined, { authorization: 'Basic x' });
    expect([status, body]).toMatchObject([200, { mode: 'dev_scopes', algorithms: [] }]);
    expect(body).not.toHaveProperty('issuer');
  });
});

describe('off', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({ env: { SVCD_AUTH_MODE: 'off' } });
  });
  afterAll(() => daemon.close());

  it('passes every check of a scope and of its tenant', async () => {
    expect((await send(daemon.url, 'POST', ASKED, {})).status).toBe(400);
    const relation = { tenant_id: 'beta', from_id: 1, to_id: 2, edge_type: 'near' };
    const { status } = await daemon.as({ tenant: 'alfa' })('POST', '/v1/relations', relation);
    expect(status).toBeLessThan(300);
  });

  it('works in the tenant that X-Svc-Tenant-Id chooses', async () => {
    expect((await daemon.as({ tenant: 'alfa' })('PUT', PLACE, { payload: {} })).status).toBe(200);
    expect((await daemon.as({ tenant: 'beta' })('GET', PLACE)).status).toBe(404);
    expect((await daemon.as({ tenant: 'alfa' })('GET', PLACE)).status).toBe(200);
  });
});

describe('a plane whose flag is off', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({ env: { SVCD_LOCAL_INGEST: '0', SVCD_ROUTE_AUTH: 'enforce' } });
  });
  afterAll(() => daemon.close());

  it.each([['/v1/local/ingest'], ['/v1/%6cocal/ingest'], ['/v1/local/%69ngest?x=1']])(
    'answers before any credential is looked at, however %s is spelt',
    async (path) => {
      const { status, body } = await send(daemon.url, 'POST', path, {});
      expect([status, body.code, body.flag]).toEqual([404, 'FLAG_OFF', 'SVCD_LOCAL_INGEST']);
    },
  );
});

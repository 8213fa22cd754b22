import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionSweep } from '../../../src/common/scheduler/sweeps.js';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { browser, connect, cookieOf, givenSeat, signIn } from './given.js';

let api: TestApi;
let second: TestApi;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  // Each test comes from an address of its own, so that failures of one are not counted for another.
  api = await startApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_ALLOWED_HOSTS: 'svc.example' } });
  second = await startApi({ database: api.database, env: { SVC_PUBLIC_URL: 'https://svc.example' } });
  acme = api.tenant;
  other = await api.addTenant('other');
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const session = (url: string, cookie: string) => send(url, 'GET', '/frontdoor/auth/session', undefined, { cookie });
const verdict = ({ status, body }: Answer) => [status, body.type, body.detail];

/** How long it takes until the session is refused, in milliseconds; polls all the while. */
async function timeToEnd(url: string, cookie: string): Promise<number> {
  const start = performance.now();
  while ((await session(url, cookie)).status === 200) {
    if (performance.now() - start > 10_000) throw new Error('the session did not end');
    await sleep(20);
  }
  return performance.now() - start;
}

describe('signing in', () => {
  it('sets a cookie that stands for the key, and says what it stands for', async () => {
    const answer = await connect(api.url, acme.tenantId, acme.apiKey);
    const [prefix] = await api.database.query<{ prefix: string }>('select prefix from api_key where key_id = $1', [
      acme.keyId,
    ]);
    expect([answer.status, answer.body]).toEqual([
      200,
      { tenantId: 'acme', authType: 'api_key', expiresAt: expect.any(String), apiKeyPrefix: prefix!.prefix },
    ]);
    const hours = (Date.parse(answer.body.expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const again = await session(second.url, cookieOf(answer));
    expect([again.status, again.body]).toEqual([200, answer.body]);
    expect(await api.database.query(`select 1 from session where encode(session_hash, 'escape') like '%svc%'`)).toEqual(
      [],
    );
  });

  it('asks browsers for TLS outside loopback, and where the public address has it', async () => {
    const { tenantId, apiKey } = acme;
    // fetch sets the host itself.
    const { headers } = await api.app.inject({
      method: 'POST',
      url: '/frontdoor/auth/connect',
      headers: { host: 'svc.example' },
      payload: { tenantId, apiKey },
    });
    expect(headers['set-cookie']).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    const behindProxy = await connect(second.url, tenantId, apiKey);
    expect(behindProxy.headers.getSetCookie()[0]).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    expect(behindProxy.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('opens the API without key and tenant, as the owner', async () => {
    const { call } = await signIn(api, acme);
    expect((await call('GET', '/v1/documents')).body).toEqual({ documents: [], next_cursor: null });
    expect((await call('GET', '/v1/org/access-requests')).status).toBe(200);
    expect((await call('GET', '/v1/documents', undefined, { 'x-tenant-id': 'other' })).status).toBe(403);
  });

  it('answers an unknown tenant, an unknown key and a foreign key alike', async () => {
    const refused = await Promise.all([
      connect(api.url, 'nobody', acme.apiKey, from('192.0.2.1')),
      connect(api.url, 'acme', `${acme.apiKey}x`, from('192.0.2.2')),
      connect(api.url, 'acme', other.apiKey, from('192.0.2.3')),
      connect(api.url, 'acme', 'x'.repeat(8), from('192.0.2.4')),
      connect(api.url, 'a'.repeat(300), 'ü'.repeat(8), from('192.0.2.5')),
    ]);
    expect((await send(api.url, 'GET', '/metrics')).text).toContain('svc_sign_in_total{result="refused"} 5');
    for (const answer of refused) {
      expect(verdict(answer)).toEqual([401, 'Unauthorized', 'body.tenantId and body.apiKey do not belong together']);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  it.each<[string, object, string]>([
    ['no tenant', { apiKey: 'x'.repeat(8) }, 'body.tenantId'],
    ['an empty tenant', { tenantId: '', apiKey: 'x'.repeat(8) }, 'body.tenantId'],
    ['no key', { tenantId: 'acme' }, 'body.apiKey'],
    ['a short key', { tenantId: 'acme', apiKey: 'x'.repeat(7) }, 'body.apiKey'],
    ['anything else', { tenantId: 'acme', apiKey: 'x'.repeat(8), remember: true }, 'body.remember'],
  ])('names what is wrong: %s', async (_what, body, path) => {
    const answer = await send(api.url, 'POST', '/frontdoor/auth/connect', body);
    expect([answer.status, answer.body.issues[0].path, answer.headers.getSetCookie()]).toEqual([400, path, []]);
  });

  it('does not sign a browser in from a page of another server', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as Record<
      string,
      string
    >[]) {
      const answer = await connect(api.url, acme.tenantId, acme.apiKey, headers);
      expect([answer.status, answer.body.type, answer.headers.getSetCookie()]).toEqual([403, 'Forbidden', []]);
    }
    expect((await connect(api.url, acme.tenantId, acme.apiKey, { origin: api.url })).status).toBe(200);
  });
});

describe('a session', () => {
  it('of a seat returns the seat', async () => {
    const seat = await givenSeat(api, 'acme', 'viewer');
    const { body } = await seat.call('GET', '/frontdoor/auth/session');
    expect(body).toEqual({
      tenantId: 'acme',
      authType: 'seat',
      expiresAt: expect.any(String),
      seatId: seat.seatId,
      seatRole: 'viewer',
      seatEmail: seat.email,
    });
  });

  it('is not opened by a cookie of which one character was changed', async () => {
    const { cookie } = await signIn(api, acme);
    const start = 'svc_session='.length;
    for (const at of [start, start + 3, start + 12, Math.floor((start + cookie.length) / 2), cookie.length - 1]) {
      const changed = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1);
      expect([at, (await session(api.url, changed)).status]).toEqual([at, 401]);
    }
    expect((await session(api.url, cookie)).status).toBe(200);
  });

  it('is asked for where a key will not do', async () => {
    for (const [method, path] of [
      ['GET', '/frontdoor/auth/session'],
      ['GET', '/frontdoor/auth/capabilities'],
      ['POST', '/frontdoor/auth/logout'],
    ] as const)
      expect((await acme.call(method, path)).status).toBe(401);
  });

  it('writes from its own pages alone', async () => {
    const { cookie } = await signIn(api, acme);
    const write = (headers: Record<string, string>) =>
      send(api.url, 'DELETE', '/v1/documents/c/d', undefined, { cookie, 'x-idempotency-key': 'one-write', ...headers });
    const refusals: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: api.url, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of refusals) {
      const { status, body } = await write(headers);
      expect([headers, status, body.type]).toEqual([headers, 403, 'Forbidden']);
    }
    for (const headers of [{ origin: api.url }, { 'sec-fetch-site': 'same-origin' }] as Record<string, string>[])
      expect((await write(headers)).body.type).toBe('DocumentUnknown');
  });

  it('ends at once with a logout, and in every process within a second', async () => {
    const { cookie, call } = await signIn(api, acme);
    const stays = await signIn(api, acme);
    expect((await session(second.url, cookie)).status).toBe(200);
    expect((await call('POST', '/frontdoor/auth/logout', undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    );
    const answer = await call('POST', '/frontdoor/auth/logout', undefined, { 'x-idempotency-key': '' });
    const ended = timeToEnd(second.url, cookie);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ok: true, tenantId: 'acme', endedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect(answer.headers.getSetCookie()).toEqual(['svc_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict']);
    expect((await session(api.url, cookie)).status).toBe(401);
    expect((await call('GET', '/v1/documents')).status).toBe(401);
    expect((await call('POST', '/frontdoor/auth/logout')).status).toBe(401);
    expect(await ended).toBeLessThan(1500);
    expect((await stays.call('GET', '/frontdoor/auth/session')).status).toBe(200);
  });

  it('ends with its key, in every process within a second', async () => {
    const tenant = await api.addTenant('leaving');
    const { cookie } = await signIn(api, tenant);
    expect((await session(second.url, cookie)).status).toBe(200);
    await api.database.query('update api_key set revoked_at = now() where key_id = $1', [tenant.keyId]);
    const ended = await Promise.all([timeToEnd(second.url, cookie), timeToEnd(api.url, cookie)]);
    expect(Math.max(...ended)).toBeLessThan(1500);
    expect((await connect(api.url, tenant.tenantId, tenant.apiKey, from('192.0.2.9'))).status).toBe(401);
  });

  it('is cleared away a day after its end', async () => {
    const { cookie } = await signIn(api, acme);
    const tenant = await api.addTenant('past');
    const old = browser(api.url, (await signIn(api, tenant)).cookie);
    await api.database.query(`update session set expires_at = now() - interval '25 hours' where tenant_id = 'past'`);
    expect((await old.call('GET', '/v1/documents')).status).toBe(401);
    await api.app.get(SessionSweep).sweep();
    expect(await api.database.query(`select 1 from session where tenant_id = 'past'`)).toEqual([]);
    expect((await session(api.url, cookie)).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteManifest } from '../../../src/common/contract/route-manifest.js';
import type { RouteRecord } from '../../../src/common/contract/contract.js';
import { byBearer, fromAnotherAddress, send, startApi, type TestApi } from '../../kit/app.js';
import { ingest } from '../retrieval/given.js';
import { givenAgent, givenSession, ON, standingIn } from './given.js';

const UPGRADE = 'https://svc.example/sponsors';
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { ...ON, SVC_UPGRADE_URL: UPGRADE, SVC_TRUSTED_PROXIES: '127.0.0.1' } });
  await ingest(api.tenant, [
    { docId: 'open', content: 'Quokkas live on Rottnest Island.', shareability: 'public_safe' },
    { docId: 'closed', content: 'Quokkas of the owner alone.' },
  ]);
});
afterAll(() => api.close());

describe('an agent that registers itself', () => {
  it('is given a bearer and a budget', async () => {
    const before = Date.now();
    const { registered } = await givenAgent(api.url, {
      agentDisplayName: 'Scout',
      callbackUrl: 'https://agents.example/scout',
      frameworkFingerprint: 'sha256:0123456789',
    });
    expect(registered.body).toEqual({
      registrationType: 'self_signup',
      agentPrincipalId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      discoveryTenantId: 'svc-discovery',
      sessionToken: expect.stringMatching(/^svc_self_[\w-]{64}\.[\w-]{43}$/),
      expiresAt: expect.any(String),
      creditsRemaining: 500,
      dailyQueryLimit: 20,
      dailyQueryRemaining: 20,
      sponsorRequired: true,
      upgradeUrl: UPGRADE,
    });
    expect(Math.abs(Date.parse(registered.body.expiresAt) - before - 7 * 86_400_000)).toBeLessThan(60_000);
    expect(standingIn(registered)).toEqual(['500', '20', 'true', UPGRADE]);
    expect(registered.headers.get('cache-control')).toBe('no-store');
  });

  it('leaves nothing in the database by which another could act as it', async () => {
    const { agentId, token } = await givenAgent(api.url);
    const rows = await api.database.query<{ found: number }>(
      `select (select count(*) from agent a where a.agent_id = $1 and a::text like '%' || $2 || '%')
            + (select count(*) from outbox_event o where o.subject = $1::text and o.data::text like '%' || $2 || '%') as found`,
      [agentId, token.slice(9, 60)],
    );
    expect(Number(rows[0]!.found)).toBe(0);
  });

  it('finds the commons and nothing else, for 5 credits and a query, whatever it asks for', async () => {
    const agent = await givenAgent(api.url);
    for (const [n, asked] of [{}, { includeCommons: false }, { lane: 'audit', agentId: 'someone-else' }].entries()) {
      const answer = await agent.call('POST', '/v1/retrieve', { query: 'quokkas', ...asked });
      const { results, credit_cost, cost_reason } = answer.body;
      expect(results.map(({ docId, tenantId, source }: any) => [docId, tenantId, source])).toEqual([
        ['open', null, 'commons'],
      ]);
      expect([credit_cost, cost_reason]).toEqual([5, 'free_tier_commons_rate']);
      expect(standingIn(answer)).toEqual([`${495 - 5 * n}`, `${19 - n}`, 'true', UPGRADE]);
    }
    expect((await agent.call('GET', '/v1/agents/me/sponsor-request')).body).toEqual({
      registrationType: 'self_signup',
      agentPrincipalId: agent.agentId,
      discoveryTenantId: 'svc-discovery',
      sponsorTenantId: null,
      sponsoredAt: null,
      creditsRemaining: 485,
      dailyQueryLimit: 20,
      dailyQueryRemaining: 17,
      sponsorRequired: true,
      upgradeUrl: UPGRADE,
    });
    const [row] = await api.database.query<{ entries: number; sum: string }>(
      `select count(*)::int as entries, sum(amount)::text as sum from ledger_entry where tenant_id = 'svc-discovery'`,
    );
    expect([row!.entries > 0, row!.sum]).toEqual([true, '0']);
  });

  it('pays for no refused or failed request, and every answer says so', async () => {
    const agent = await givenAgent(api.url);
    const full = ['500', '20', 'true', UPGRADE];
    const tried: [number, Promise<any>][] = [
      [400, agent.call('POST', '/v1/retrieve', { query: 'x' })],
      [400, agent.call('POST', '/v1/retrieve', '{"query":')],
      [415, agent.call('POST', '/v1/retrieve', 'query', { 'content-type': 'text/plain' })],
      [403, agent.call('POST', '/v1/ingest', {})],
      [403, agent.call('GET', '/v1/documents')],
      [403, agent.call('POST', '/v1/retrieve', { query: 'quokkas' }, { 'x-tenant-id': 'acme' })],
      [403, agent.call('POST', '/v1/retrieve', { query: 'quokkas', tenantId: 'acme' })],
      [404, agent.call('GET', '/v1/no-such-address')],
      [200, agent.call('GET', '/healthz')],
      [200, agent.call('GET', '/v1/agents/me/sponsor-request', undefined, { 'x-tenant-id': 'svc-discovery' })],
    ];
    for (const [status, answering] of tried) {
      const answer = await answering;
      expect([answer.status, ...standingIn(answer)]).toEqual([status, ...full]);
    }
  });

  it('may call what lets agents discover, and is refused everything else', async () => {
    const agent = await givenAgent(api.url);
    const pathOf = ({ path }: RouteRecord) => path.replace(/:\w+/g, agent.agentId).replace(/\*\w*/g, 'x');
    const { routes } = api.app.get(RouteManifest);
    const admitted: string[] = [];
    for (const route of routes.filter(({ access }) => access.kind !== 'anyone')) {
      const body = ['GET', 'DELETE'].includes(route.verb) ? undefined : {};
      const answer = await agent.call(route.verb, pathOf(route), body, { 'x-idempotency-key': '' });
      expect([route.address, standingIn(answer)[0]]).toEqual([route.address, '500']);
      // Routes of an API key alone do not know the token.
      const refusal = route.access.kind === 'tool' && !route.access.agents ? 'Unauthorized' : 'Forbidden';
      if (answer.body?.type === refusal) expect(answer.status).toBe(refusal === 'Forbidden' ? 403 : 401);
      else admitted.push(route.address);
    }
    const discovery = [
      'GET /v1/agents/me/sponsor-request',
      'GET /v1/bundles',
      'GET /v1/credits/:agentId',
      'POST /v1/retrieve',
    ];
    const declared = new Set<string>(routes.map(({ address }) => address));
    expect(admitted).toEqual(discovery.filter((address) => declared.has(address)));
  });

  it('reads its own credits and nobody else’s, and what bundles there are', async () => {
    const [agent, other] = [await givenAgent(api.url), await givenAgent(api.url)];
    const own = await agent.call('GET', `/v1/credits/${agent.agentId}`);
    expect([own.status, own.body.balance]).toEqual([200, 500]);
    for (const id of [other.agentId, 'default-agent']) {
      const answer = await agent.call('GET', `/v1/credits/${id}`);
      expect([id, answer.status, answer.body.balance, standingIn(answer)[0]]).toEqual([id, 403, undefined, '500']);
    }
    expect((await agent.call('GET', '/v1/bundles')).status).toBe(200);
  });

  it('is refused with a bearer that is changed by a character, truncated or invented', async () => {
    const { token } = await givenAgent(api.url);
    const path = '/v1/agents/me/sponsor-request';
    const other = (c: string) => (c === 'A' ? 'B' : 'A');
    const changed = [...token].map(
      (c, i) => token.slice(0, i) + (c === '_' || c === '.' ? 'x' : other(c)) + token.slice(i + 1),
    );
    for (const wrong of [
      ...changed,
      token.slice(0, -1),
      `${token}A`,
      token.slice('svc_self_'.length),
      'svc_self_x.y',
      'svc_self_',
    ]) {
      const answer = await byBearer(api.url, wrong)('GET', path, undefined, fromAnotherAddress());
      expect([wrong, answer.status, answer.body.type, answer.headers.get('x-svc-credits-remaining')]).toEqual([
        wrong,
        401,
        'Unauthorized',
        null,
      ]);
    }
    expect((await byBearer(api.url, token)('GET', path)).status).toBe(200);
  });

  it('is refused once its 7 days are over', async () => {
    const agent = await givenAgent(api.url);
    await agent.call('GET', '/v1/agents/me/sponsor-request');
    await api.database.query('update agent set expires_at = now() where agent_id = $1', [agent.agentId]);
    await expect
      .poll(async () => (await agent.call('GET', '/v1/agents/me/sponsor-request')).status, { timeout: 2_500 })
      .toBe(401);
    expect(standingIn(await agent.call('GET', '/healthz'))).toEqual([null, null, null, null]);
  });

  it('is held to the bounds of a registration', async () => {
    const wrong = [
      {},
      { agentFramework: '' },
      { agentFramework: 'x'.repeat(65) },
      { agentFramework: 'a', registrationType: 'sponsored' },
      { agentFramework: 'a', agentDisplayName: 'x'.repeat(121) },
      { agentFramework: 'a', agentDisplayName: '' },
      { agentFramework: 'a', callbackUrl: 'not a uri' },
      { agentFramework: 'a', callbackUrl: `https://x.example/${'x'.repeat(2000)}` },
      { agentFramework: 'a', frameworkFingerprint: '1234567' },
      { agentFramework: 'a', frameworkFingerprint: 'x'.repeat(257) },
      { agentFramework: 'a', surprise: 1 },
    ];
    for (const body of wrong) {
      const answer = await send(api.url, 'POST', '/v1/agents/register', body);
      expect([body, answer.status, answer.body.type]).toEqual([body, 400, 'ValidationFailed']);
    }
  });

  it('counts with its key, not its bearer, where a request has both', async () => {
    const { token } = await givenAgent(api.url);
    const answer = await api.tenant.call('GET', '/v1/documents', undefined, { authorization: `Bearer ${token}` });
    expect([answer.status, standingIn(answer)]).toEqual([200, [null, null, null, null]]);
  });
});

describe('a server', () => {
  it('without the feature has no such address, and its description says what would be there with it', async () => {
    const off = await startApi({ database: api.database });
    try {
      const shown = async (path: string) => {
        const { status, body } = await send(off.url, 'POST', path, { agentFramework: 'a' });
        return [status, { ...body, request_id: '' }];
      };
      expect(await shown('/v1/agents/register')).toEqual(await shown('/v1/agents/unheard-of'));
      expect((await shown('/v1/agents/register'))[0]).toBe(404);
      const { paths } = (await send(off.url, 'GET', '/openapi.json')).body;
      expect(paths['/v1/agents/register'].post['x-flag']).toBe('FEATURE_SELF_SIGNUP');
      // Agents that registered before go on.
      const agent = await givenAgent(api.url);
      expect((await byBearer(off.url, agent.token)('GET', '/v1/agents/me/sponsor-request')).status).toBe(200);
    } finally {
      await off.close();
    }
  });

  it('in production lets agents register and search with nothing but the bearer', async () => {
    const production = await startApi({
      database: api.database,
      env: {
        ...ON,
        NODE_ENV: 'production',
        SVC_BOOTSTRAP_API_KEY: 'not used here, thirty-two characters',
        SVC_SESSION_SECRET: 'a secret of more than 32 characters, for tests',
      },
    });
    try {
      const agent = await givenAgent(production.url);
      const answer = await agent.call('POST', '/v1/retrieve', { query: 'quokkas' });
      expect([answer.status, standingIn(answer)[0]]).toEqual([200, '495']);
      // Signed with the secret of that server: this one has another.
      expect((await byBearer(api.url, agent.token)('GET', '/v1/agents/me/sponsor-request')).status).toBe(401);
    } finally {
      await production.close();
    }
  });

  it('makes an address that registers too many agents wait', async () => {
    const strict = await startApi({ env: { ...ON, SVC_SELF_SIGNUP_PER_ADDRESS: '3' } });
    try {
      for (let i = 0; i < 3; i += 1) await givenAgent(strict.url);
      const refused = await send(strict.url, 'POST', '/v1/agents/register', { agentFramework: 'a' });
      expect([refused.status, refused.body.type, refused.body.retryable]).toEqual([429, 'RegistrationsLimited', true]);
      expect(refused.body.retryAfterSec).toBeGreaterThan(50);
      expect(refused.headers.get('retry-after')).toBe(String(refused.body.retryAfterSec));
      const metrics = await send(strict.url, 'GET', '/metrics');
      expect(metrics.text).toContain('svc_agent_registrations_total{outcome="registered"} 3');
      expect(metrics.text).toContain('svc_agent_registrations_total{outcome="limited"} 1');
    } finally {
      await strict.close();
    }
  });

  it('lets nobody have a key, a seat or a session in the discovery tenant', async () => {
    await expect(api.addTenant('svc-discovery')).rejects.toThrow(/There is a tenant/);
    await expect(
      api.database.query(
        `insert into api_key (tenant_id, key_id, prefix, key_hash) values ('svc-discovery', gen_random_uuid(), 'x', '\\x00')`,
      ),
    ).rejects.toThrow(/api_key_not_discovery/);
    await expect(
      api.database.query(
        `insert into seat (tenant_id, seat_id, user_email, role, status) values ('svc-discovery', gen_random_uuid(), 'a@b', 'owner', 'active')`,
      ),
    ).rejects.toThrow(/seat_not_discovery/);
  });

  it('answers the sponsor request to agents alone', async () => {
    const path = '/v1/agents/me/sponsor-request';
    const session = await givenSession(api, api.tenant);
    expect([
      (await send(api.url, 'GET', path)).status,
      (await api.tenant.call('GET', path)).status,
      (await session('GET', path)).status,
    ]).toEqual([401, 403, 403]);
  });
});

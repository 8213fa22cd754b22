import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteManifest } from '../../../src/common/contract/route-manifest.js';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { ALL_FLAGS_ON } from '../../kit/daemon-contract.js';
import { cookieOf, givenMember, until, WITHIN_MS, type Member } from '../seats/given.js';

let api: TestApi;
let daemon: TestDaemon;
let enforcing: TestDaemon;
let other: TestTenant;
const members: Record<string, Member> = {};

beforeAll(async () => {
  api = await startApi();
  other = await api.addTenant('umbrella');
  const { database } = api;
  daemon = await startDaemon({ database, env: ALL_FLAGS_ON });
  enforcing = await startDaemon({
    database,
    env: { SVCD_ROUTE_AUTH: 'enforce', SVCD_AUTH_MODE: 'jwt_hs256', SVCD_JWT_HS256_SECRET: 's'.repeat(32) },
  });
  for (const role of ['owner', 'admin', 'member', 'viewer'])
    members[role] = await givenMember(api.url, api.tenant, role);
}, 120_000);
afterAll(async () => {
  await enforcing.close();
  await daemon.close();
  await api.close();
});

type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
/** As a page of the daemon calls it. */
const by =
  (cookie: string, { url } = daemon): Call =>
  (method, path, body, headers = {}) =>
    send(url, method, path, body, { cookie, ...(method === 'GET' ? {} : { origin: url }), ...headers });
const as = (role: string, at = daemon): Call => by(members[role]!.cookie, at);
const signIn = async ({ tenantId, apiKey }: TestTenant): Promise<string> =>
  cookieOf(await send(api.url, 'POST', '/frontdoor/auth/connect', { tenantId, apiKey }));
/** The text in a receipt, which is CBOR: a text stands in it as it is, after its length. */
const signedIn = ({ body }: Answer): string => Buffer.from(body.payload_base64, 'base64').toString('latin1');
const fact = (key: string) => ({ entity: 'user:ada', key, value: 'v' });

describe('a session at the daemon', () => {
  it('writes and reads in its tenant, under the name of its seat, and receipts say so', async () => {
    const written = await as('member')('PUT', '/v1/facts', fact('colour'));
    expect([written.status, written.text]).toEqual([201, expect.any(String)]);
    const receipt = await as('member')(
      'GET',
      `/v1/receipts/${written.body.receipt_id}?tenant_id=${api.tenant.tenantId}`,
    );
    expect([receipt.status, signedIn(receipt)]).toEqual([200, expect.stringMatching(/auth_modegsession/)]);
    expect(signedIn(receipt)).toContain(`seat:${members.member!.seatId}`);
    const read = await as('viewer')('GET', '/v1/facts/entity/user:ada');
    expect(read.status).toBe(200);
    expect(JSON.stringify(read.body)).toContain('colour');
  });

  it('is let in in every mode, and by route-auth', async () => {
    for (const at of [daemon, enforcing]) expect((await as('viewer', at)('GET', '/v1/facts/list')).status).toBe(200);
    expect((await send(enforcing.url, 'GET', '/v1/facts/list')).status).toBe(401);
  });

  it('of a key counts as its owner', async () => {
    const call = by(await signIn(api.tenant));
    const written = await call('PUT', '/v1/facts', fact('by-key'));
    expect(written.status).toBe(201);
    const receipt = await call('GET', `/v1/receipts/${written.body.receipt_id}?tenant_id=${api.tenant.tenantId}`);
    expect(signedIn(receipt)).toContain(`key:${api.tenant.keyId}`);
    expect((await call('GET', '/v1/work')).status).toBe(200);
  });

  it('gives way to another credential', async () => {
    const headers = { 'x-svc-scopes': 'query:read', 'x-svc-tenant-id': other.tenantId };
    const read = await as('viewer')('GET', '/v1/facts/list', undefined, headers);
    expect([read.status, JSON.stringify(read.body).includes('colour')]).toEqual([200, false]);
    const wrong = await as('viewer', enforcing)('GET', '/v1/facts/list', undefined, { authorization: 'Bearer x.y.z' });
    expect(wrong.status).toBe(401);
  });

  it('acts by no passport', async () => {
    const answer = await as('owner')('GET', '/v1/facts/list', undefined, { 'x-svc-passport-id': 'ada' });
    expect([answer.status, answer.body.code]).toEqual([403, 'PASSPORT_HEADER_MISMATCH']);
  });

  it('is no credential while SVCD_CONSOLE_SESSION is off', async () => {
    const off = await startDaemon({ database: api.database, env: { SVCD_CONSOLE_SESSION: '0' } });
    expect((await as('owner', off)('GET', '/v1/facts/list')).status).toBe(401);
    expect((await send(off.url, 'GET', '/v1/auth/mode')).body.session).toBe(false);
    expect((await send(daemon.url, 'GET', '/v1/auth/mode')).body.session).toBe(true);
    await off.close();
  });

  it('calls tools in the form of OpenAI as itself', async () => {
    const call = { name: 'search_facts', arguments: { query: 'colour' } };
    const answer = await as('member')('POST', '/v1/openai/invoke', call);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('colour')]);
  });

  it('is nothing to the MCP listener', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_facts', arguments: { query: 'x' } },
    };
    const headers = { cookie: members.owner!.cookie, accept: 'application/json, text/event-stream' };
    const answer = await send(daemon.mcpUrl, 'POST', '', call, headers);
    expect(answer.text).toContain('UNAUTHORIZED');
  });
});

describe('the role of a seat', () => {
  const verdict = async (role: string, method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await as(role)(method, path, body);
    return answer.code === 'MISSING_SCOPE' ? 'refused' : status < 400 ? 'in' : `${status} ${answer.code}`;
  };

  it.each([
    ['GET', '/v1/facts/list', undefined, 'in in in in'],
    ['GET', '/v1/receipts/list', undefined, 'in in in in'],
    ['PUT', '/v1/facts', fact('role'), 'in in in refused'],
    ['GET', '/v1/work', undefined, 'in in refused refused'],
    ['POST', '/v1/admin/compact-facts', {}, 'in in refused refused'],
    ['GET', '/v1/admin/version', undefined, 'in in refused refused'],
    ['GET', '/v1/console/summary', undefined, 'in in refused refused'],
  ])('%s %s: owner, admin, member, viewer', async (method, path, body, expected) => {
    const verdicts: string[] = [];
    for (const role of ['owner', 'admin', 'member', 'viewer']) verdicts.push(await verdict(role, method, path, body));
    expect(verdicts.join(' ')).toBe(expected);
  });
});

type Way = [way: string, target: string, body: unknown, headers: Record<string, string>];

describe('another tenant than its own', () => {
  it('is out of its reach on every route, by header, query and body', async () => {
    const { routes } = daemon.app.get(RouteManifest);
    const asked = routes.filter(
      ({ access, streams, provenCaller }) => access.kind === 'scopes' && !streams && !provenCaller,
    );
    const reached: string[] = [];
    for (const { verb, path, peers } of asked) {
      const address = path
        .replace(/:tenantId/g, other.tenantId)
        .replace(/:\w+|\*$/g, '0197a3a0-0000-7000-8000-000000000000');
      const isRead = verb === 'GET';
      const inBody: Way = ['body', address, { tenant_id: other.tenantId }, {}];
      const ways: Way[] = [
        ['header', address, isRead ? undefined : {}, { 'x-svc-tenant-id': other.tenantId }],
        ['query', `${address}?tenant_id=${other.tenantId}`, isRead ? undefined : {}, {}],
        ...(isRead ? [] : [inBody]),
      ];
      for (const [way, target, body, headers] of ways) {
        const { status, body: answer } = await as('owner')(verb, target, body, headers);
        if (status === 403 && ['TENANT_MISMATCH', 'MISSING_SCOPE', 'FORBIDDEN'].includes(answer.code)) continue;
        reached.push(`${way} ${verb} ${path}${peers ? ' (peers)' : ''}: ${status} ${answer.code ?? ''}`);
      }
    }
    expect(reached).toEqual([]);
  }, 300_000);

  it('holds nothing of it either: ids of it are unknown', async () => {
    const foreign = by(await signIn(other));
    const { status, body, text } = await foreign('PUT', '/v1/facts', fact('foreign'));
    expect([status, text]).toEqual([201, expect.any(String)]);
    expect((await foreign('GET', `/v1/receipts/${body.receipt_id}?tenant_id=${other.tenantId}`)).status).toBe(200);
    expect((await as('owner')('GET', `/v1/receipts/${body.receipt_id}?tenant_id=${api.tenant.tenantId}`)).status).toBe(
      404,
    );
    expect((await as('owner')('GET', '/v1/facts/list')).text).not.toContain('foreign');
  });

  it('lets nobody of it restart the server, unless the tenant is that of the daemon', async () => {
    const refused = await as('owner')('POST', '/v1/admin/restart', {});
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('whole server')]);
    const own = await startDaemon({ database: api.database, env: { SVC_BOOTSTRAP_TENANT_ID: api.tenant.tenantId } });
    expect((await as('owner', own)('POST', '/v1/admin/restart', {})).body.code).toBe('NO_SUPERVISOR');
    await own.close();
  });
});

describe('a write by cookie', () => {
  const write = (headers: Record<string, string>) => as('owner')('PUT', '/v1/facts', fact('csrf'), headers);

  it('comes from a page of this server', async () => {
    expect((await write({ origin: '' })).status).toBe(403);
    expect((await write({ origin: 'https://other.example' })).status).toBe(403);
    expect((await write({ origin: '', 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await write({ origin: '', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await write({ origin: '', 'sec-fetch-site': 'same-origin' })).status).toBeLessThan(300);
    expect((await write({})).status).toBeLessThan(300);
  });
});

describe('a cookie that stands for no session', () => {
  it('is refused, and counted where this server did not sign it', async () => {
    const [value = ''] = members.owner!.cookie.split(';');
    const forged = by(`${value.slice(0, -4)}AAAA`);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i += 1) statuses.push((await forged('GET', '/v1/facts/list')).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await as('owner')('GET', '/v1/facts/list')).status).toBe(200);
  });

  it('opens nothing in the mode off either', async () => {
    const open = await startDaemon({ database: api.database, env: { SVCD_AUTH_MODE: 'off' } });
    const cookie = await signIn(other);
    expect((await by(cookie, open)('GET', '/v1/facts/list')).status).toBe(200);
    await send(api.url, 'POST', '/frontdoor/auth/logout', undefined, { cookie, origin: api.url });
    await until(async () => (await by(cookie, open)('GET', '/v1/facts/list')).status === 401, WITHIN_MS);
    expect((await send(open.url, 'GET', '/v1/facts/list')).status).toBe(200);
    await open.close();
  });
});

describe('the end of a session', () => {
  const endsAt = async (call: Call): Promise<number> =>
    until(async () => (await call('GET', '/v1/facts/list')).status === 401, WITHIN_MS);

  it('comes with the sign-out, in the process of the API', async () => {
    const cookie = await signIn(api.tenant);
    const [here, there] = [by(cookie), by(cookie, enforcing)];
    expect([(await here('GET', '/v1/facts/list')).status, (await there('GET', '/v1/facts/list')).status]).toEqual([
      200, 200,
    ]);
    expect((await send(api.url, 'POST', '/frontdoor/auth/logout', undefined, { cookie, origin: api.url })).status).toBe(
      200,
    );
    await endsAt(here);
    await endsAt(there);
  });

  it('comes with the end of its seat, and of its role', async () => {
    const [leaving, changing] = [
      await givenMember(api.url, api.tenant, 'member'),
      await givenMember(api.url, api.tenant, 'admin'),
    ];
    for (const { cookie } of [leaving, changing]) expect((await by(cookie)('GET', '/v1/facts/list')).status).toBe(200);
    expect((await api.tenant.call('DELETE', `/v1/org/seats/${leaving.seatId}`)).status).toBeLessThan(300);
    expect((await api.tenant.call('PUT', `/v1/org/seats/${changing.seatId}`, { role: 'viewer' })).status).toBe(200);
    await endsAt(by(leaving.cookie));
    await endsAt(by(changing.cookie));
  });

  it('comes with the suspension of its tenant', async () => {
    const tenant = await api.addTenant('suspended-later');
    const call = by(await signIn(tenant));
    expect((await call('GET', '/v1/facts/list')).status).toBe(200);
    const client = new Client({ connectionString: api.database.superuserUrl });
    await client.connect();
    await client.query(`update tenant set state = 'suspended' where tenant_id = $1`, [tenant.tenantId]);
    await client.end();
    await endsAt(call);
  });

  it('ends the event streams that it opened', async () => {
    const cookie = await signIn(api.tenant);
    const stream = await fetch(`${daemon.url}/v1/events/stream`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    const text = stream.text();
    await send(api.url, 'POST', '/frontdoor/auth/logout', undefined, { cookie, origin: api.url });
    expect(await text).toContain('unauthorized');
  }, 10_000);
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  bySession,
  fromAnotherAddress,
  send,
  startApi,
  type Answer,
  type TestApi,
  type TestTenant,
} from '../../kit/app.js';
import { cookieOf } from './given.js';
import { PeopleProvider } from './people-provider.js';

const CONSOLE = 'http://console.example:14800/console';
const CLIENT = { clientId: 'svc', secret: 'a secret of the client', redirectUri: CONSOLE };
const PEOPLE = {
  ada: { email: 'Ada@example.org', email_verified: true, groups: ['admins'] },
  bob: { email: 'bob@example.org', email_verified: true, groups: ['staff', 'nobody knows'] },
  eve: { email: 'bob@example.org', email_verified: false },
  mallory: { email: 'mallory@example.org', email_verified: true, groups: ['admins'] },
  olga: { email: 'olga@example.org', email_verified: true, groups: ['staff'] },
  pat: { email: 'pat@example.org', email_verified: true },
  nameless: {},
  // Its first letter is the sign for kelvin, whose lower case is a k.
  likeKate: { email: '\u212Aate@example.org', email_verified: true, groups: ['staff'] },
};

let provider: PeopleProvider;
let api: TestApi;
beforeAll(async () => {
  provider = await PeopleProvider.start(CLIENT, PEOPLE);
  api = await startApi({
    env: {
      SVC_OIDC_ISSUER: provider.issuer,
      SVC_OIDC_CLIENT_ID: CLIENT.clientId,
      SVC_OIDC_CLIENT_SECRET: CLIENT.secret,
      SVC_OIDC_TENANTS: 'acme',
      SVC_OIDC_GROUP_ROLES: 'staff:member,admins:admin',
      SVC_CONSOLE_URL: CONSOLE,
      SVC_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  await seat('ada@example.org', 'viewer');
  await seat('bob@example.org', 'viewer');
  await seat('kate@example.org', 'viewer');
  const owner = await api.tenant.call('POST', '/v1/org/bootstrap-owner', { email: 'olga@example.org' });
  await accept(owner.body.inviteToken);
  await api.tenant.call('POST', '/v1/org/invite', { email: 'pat@example.org' });
});
afterAll(async () => {
  await api.close();
  await provider.close();
});

const accept = (token: string): Promise<Answer> => send(api.url, 'POST', '/v1/org/accept-invite', { token });

async function seat(email: string, role: string): Promise<string> {
  const { body } = await api.tenant.call('POST', '/v1/org/invite', { email, role });
  await accept(body.inviteToken);
  return body.seat.id;
}

const post = (path: string, body: unknown, headers = fromAnotherAddress()): Promise<Answer> =>
  send(api.url, 'POST', `/frontdoor/auth/provider/${path}`, body, headers);

const start = async (tenantId = 'acme'): Promise<{ authorizationUrl: string; transaction: string }> =>
  (await post('start', { tenantId })).body;

/** What the page sends when it is back from the provider. */
async function wayBack(name: string, begun: { authorizationUrl: string; transaction: string }, at = provider) {
  const { searchParams } = await at.visit(begun.authorizationUrl, name);
  return { transaction: begun.transaction, ...Object.fromEntries(searchParams) } as {
    transaction: string;
    code: string;
    state: string;
    iss: string;
  };
}

const signIn = async (name: string, tenantId?: string): Promise<Answer> =>
  post('finish', await wayBack(name, await start(tenantId)));

/** Processes hear of it within a second. */
const expectEnded = (call: TestTenant['call']): Promise<void> =>
  vi.waitFor(async () => expect((await call('GET', '/frontdoor/auth/session')).status).toBe(401), { timeout: 20_000 });

describe('signing in at the identity provider', () => {
  it('goes there with PKCE, state and nonce, and asks to come back to the console', async () => {
    const { authorizationUrl } = await start();
    const { origin, searchParams } = new URL(authorizationUrl);
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'svc',
      redirect_uri: CONSOLE,
      response_type: 'code',
      scope: 'openid email',
      state: expect.stringMatching(/^.{40,}$/),
      nonce: expect.stringMatching(/^.{40,}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('opens a session of the seat with that e-mail, with the role of the groups', async () => {
    const answer = await signIn('ada');
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        tenantId: 'acme',
        authType: 'seat',
        expiresAt: expect.any(String),
        seatId: expect.any(String),
        seatRole: 'admin',
        seatEmail: 'ada@example.org',
      },
    ]);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^svc_session=.+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict/,
    );
    const call = bySession(api.url, cookieOf(answer));
    expect((await call('GET', '/frontdoor/auth/session')).body).toEqual(answer.body);
    const { body } = await api.tenant.call('GET', '/v1/org/seats?email=ada@example.org');
    expect(body.seats).toEqual([expect.objectContaining({ role: 'admin', status: 'active' })]);
  });

  it('gives another role by other groups, and ends the sessions before', async () => {
    const before = bySession(api.url, cookieOf(await signIn('bob')));
    expect((await before('GET', '/frontdoor/auth/session')).body.seatRole).toBe('member');
    provider.people['bob'] = { ...PEOPLE.bob, groups: ['admins'] };
    const after = await signIn('bob');
    provider.people['bob'] = PEOPLE.bob;
    expect(after.body.seatRole).toBe('admin');
    await expectEnded(before);
    const events = await api.database.query<{ kind: string; reason: string | null }>(
      `select kind, reason from seat_event where seat_id = '${after.body.seatId}' order by event_id`,
    );
    expect(events.slice(-2)).toEqual([
      { kind: 'role_changed', reason: 'groups at the identity provider' },
      { kind: 'signed_in', reason: null },
    ]);
  });

  it('leaves an owner an owner', async () => {
    expect((await signIn('olga')).body.seatRole).toBe('owner');
  });

  it.each([
    ['an unverified e-mail', 'eve'],
    ['no e-mail', 'nameless'],
    ['an e-mail without a seat', 'mallory'],
    ["an e-mail that looks like somebody else's", 'likeKate'],
    ['an invitation that was not accepted', 'pat'],
  ])('refuses %s', async (_, name) => {
    const answer = await signIn(name);
    expect([answer.status, answer.body.type, answer.headers.getSetCookie()]).toEqual([403, 'Forbidden', []]);
  });

  it('refuses tenants that are not listed, whether there are any, in the same words', async () => {
    const other = await api.addTenant('other');
    const { body } = await other.call('POST', '/v1/org/invite', { email: 'ada@example.org' });
    await accept(body.inviteToken);
    const answers = [await signIn('ada', 'other'), await signIn('ada', 'nosuch'), await signIn('mallory')];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(new Set(answers.map(({ body: { detail } }) => detail)).size).toBe(1);
  });

  it('refuses a seat that was revoked, and ends its sessions', async () => {
    const seatId = await seat('mallory@example.org', 'viewer');
    const session = bySession(api.url, cookieOf(await signIn('mallory')));
    expect((await session('GET', '/frontdoor/auth/session')).status).toBe(200);
    await api.tenant.call('DELETE', `/v1/org/seats/${seatId}`);
    await expectEnded(session);
    expect((await signIn('mallory')).status).toBe(403);
  });
});

describe('what was forged or used before', () => {
  const refused = async (body: unknown): Promise<void> => {
    const answer = await post('finish', body);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
  };

  it('refuses a code a second time', async () => {
    const back = await wayBack('ada', await start());
    expect((await post('finish', back)).status).toBe(200);
    await refused(back);
  });

  it('refuses another state', async () => {
    const back = await wayBack('ada', await start());
    await refused({ ...back, state: `${back.state}x` });
  });

  it('refuses the code of another sign-in: its verifier is another', async () => {
    const [mine, others] = [await wayBack('bob', await start()), await wayBack('ada', await start())];
    await refused({ ...mine, code: others.code });
  });

  it('refuses another nonce in the ID token', async () => {
    const begun = await start();
    const address = new URL(begun.authorizationUrl);
    address.searchParams.set('nonce', 'another');
    await refused(await wayBack('ada', { ...begun, authorizationUrl: address.href }));
  });

  it('refuses the answer of another issuer', async () => {
    const back = await wayBack('ada', await start());
    await refused({ ...back, iss: 'https://other.example' });
  });

  it('refuses a transaction that was changed, or is none', async () => {
    const back = await wayBack('ada', await start());
    // Not the last one, of which some bits may belong to no byte (RFC 4648, 3.5).
    const at = back.transaction.length >> 1;
    const other = back.transaction[at] === 'A' ? 'B' : 'A';
    const changed = back.transaction.slice(0, at) + other + back.transaction.slice(at + 1);
    for (const transaction of [changed, 'sealed:v1:AAAAAAAAAAAA', 'x'.repeat(400)])
      await refused({ ...back, transaction });
  });

  it('refuses what a page of another server sends', async () => {
    const back = await wayBack('ada', await start());
    const answer = await post('finish', back, { ...fromAnotherAddress(), origin: 'https://evil.example' });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  });

  it('slows down an address whose sign-ins fail', async () => {
    const address = fromAnotherAddress();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      const back = await wayBack('eve', await start());
      statuses.push((await post('finish', back, address)).status);
    }
    expect(statuses.slice(0, 5)).toEqual([403, 403, 403, 403, 403]);
    expect(statuses).toContain(429);
  });
});

describe('the provider', () => {
  it('is named by a setting; without it there is no such sign-in', async () => {
    const without = await startApi({ database: api.database });
    const answer = await send(without.url, 'POST', '/frontdoor/auth/provider/start', { tenantId: 'acme' });
    await without.close();
    expect([answer.status, answer.body.detail]).toEqual([412, expect.stringContaining('SVC_OIDC_CLIENT_ID')]);
  });

  it('is away: 503', async () => {
    const gone = await PeopleProvider.start(CLIENT, {});
    await gone.close();
    const env = { SVC_OIDC_ISSUER: gone.issuer, SVC_OIDC_CLIENT_ID: 'svc' };
    const here = await startApi({ database: api.database, env });
    const answer = await send(here.url, 'POST', '/frontdoor/auth/provider/start', { tenantId: 'acme' });
    await here.close();
    expect([answer.status, answer.body.type]).toEqual([503, 'ProviderUnavailable']);
  });

  it('that is away when people come back keeps nobody out afterwards', async () => {
    const leaving = await PeopleProvider.start(CLIENT, PEOPLE);
    const env = {
      SVC_OIDC_ISSUER: leaving.issuer,
      SVC_OIDC_CLIENT_ID: CLIENT.clientId,
      SVC_OIDC_CLIENT_SECRET: CLIENT.secret,
      SVC_CONSOLE_URL: CONSOLE,
      SVC_TRUSTED_PROXIES: '127.0.0.1',
    };
    const here = await startApi({ database: api.database, env });
    const address = fromAnotherAddress();
    const path = '/frontdoor/auth/provider';
    const { body: begun } = await send(here.url, 'POST', `${path}/start`, { tenantId: 'acme' }, address);
    const back = await wayBack('bob', begun, leaving);
    await leaving.close();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1)
      statuses.push((await send(here.url, 'POST', `${path}/finish`, back, address)).status);
    await here.close();
    expect(statuses).toEqual(Array.from({ length: 7 }, () => 503));
  });

  it('may know a public client, put the e-mail into the ID token, and be for the first tenant alone', async () => {
    const open = await PeopleProvider.start({ clientId: 'page', redirectUri: CONSOLE }, PEOPLE, true);
    const env = {
      SVC_OIDC_ISSUER: open.issuer,
      SVC_OIDC_CLIENT_ID: 'page',
      SVC_BOOTSTRAP_TENANT_ID: 'acme',
      SVC_CONSOLE_URL: CONSOLE,
    };
    const here = await startApi({ database: api.database, env });
    const path = '/frontdoor/auth/provider';
    const { body: begun } = await send(here.url, 'POST', `${path}/start`, { tenantId: 'acme' });
    const { searchParams } = await open.visit(begun.authorizationUrl, 'bob');
    const back = { transaction: begun.transaction, ...Object.fromEntries(searchParams) };
    const answer = await send(here.url, 'POST', `${path}/finish`, back);
    await here.close();
    await open.close();
    // Without groups that decide, the seat keeps its role.
    expect([answer.status, answer.body.seatEmail, answer.body.seatRole]).toEqual([200, 'bob@example.org', 'admin']);
  });
});

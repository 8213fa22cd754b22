import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bySession, send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

let api: TestApi;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi();
  other = await api.addTenant('other');
});
afterAll(() => api.close());

/** As an identity provider calls: with a bearer and application/scim+json. */
async function scim(method: string, path: string, body?: unknown, tenant = api.tenant): Promise<Answer> {
  const answer = await send(api.url, method, `/scim/v2${path}`, body === undefined ? undefined : JSON.stringify(body), {
    authorization: `Bearer ${tenant.apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
  });
  return answer;
}
const create = (userName: string, more: object = {}, tenant = api.tenant): Promise<Answer> =>
  scim('POST', '/Users', { schemas: [USER], userName, ...more }, tenant);
const operations = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const seatsOf = async (email: string, tenant = api.tenant): Promise<any[]> =>
  (await tenant.call('GET', `/v1/org/seats?email=${encodeURIComponent(email)}`)).body.seats;
const expectError = ({ status, headers, body }: Answer, expected: number, scimType?: string): void => {
  expect([status, headers.get('content-type'), body]).toEqual([
    expected,
    'application/scim+json',
    { schemas: [ERROR], status: String(expected), ...(scimType ? { scimType } : {}), detail: expect.any(String) },
  ]);
};

/** A session that the seat of an e-mail opened by a link. */
async function sessionOf(email: string, role?: string): Promise<TestTenant['call']> {
  const invited = await api.tenant.call('POST', '/v1/org/invite', { email, role });
  const accepted = await send(api.url, 'POST', '/v1/org/accept-invite', { token: invited.body.inviteToken });
  return bySession(api.url, accepted.headers.getSetCookie()[0]!.split(';')[0]!);
}

/** Processes hear of it within a second. */
const expectEnded = (call: TestTenant['call']): Promise<void> =>
  vi.waitFor(async () => expect((await call('GET', '/frontdoor/auth/session')).status).toBe(401), { timeout: 20_000 });

describe('what is supported', () => {
  it.each(['ServiceProviderConfig', 'ResourceTypes', 'Schemas'])('%s', async (name) => {
    const { status, headers, body } = await scim('GET', `/${name}`);
    const type = 'application/scim+json; charset=utf-8';
    expect([status, headers.get('content-type'), body.schemas.length]).toEqual([200, type, 1]);
  });

  it('asks for an API key', async () => {
    for (const authorization of ['', 'Bearer svc_key_000000000000_wrong', 'Basic YTpi']) {
      const { status } = await send(api.url, 'GET', '/scim/v2/Users', undefined, { authorization });
      expect([authorization, status]).toEqual([authorization, 401]);
    }
  });
});

describe('a user', () => {
  it('is created with an active seat, without a mail', async () => {
    const { status, headers, body } = await create('Ada@Example.org', {
      externalId: 'x-ada',
      roles: [{ value: 'admin' }],
    });
    expect([status, headers.get('location'), body]).toEqual([
      201,
      body.meta.location,
      {
        schemas: [USER],
        id: expect.any(String),
        externalId: 'x-ada',
        userName: 'ada@example.org',
        active: true,
        emails: [{ value: 'ada@example.org', type: 'work', primary: true }],
        roles: [{ value: 'admin', primary: true }],
        groups: [],
        meta: {
          resourceType: 'User',
          created: expect.any(String),
          lastModified: expect.any(String),
          location: expect.stringMatching(new RegExp(`/scim/v2/Users/${body.id}$`)),
        },
      },
    ]);
    expect(await seatsOf('ada@example.org')).toEqual([expect.objectContaining({ role: 'admin', status: 'active' })]);
    expect((await scim('GET', `/Users/${body.id}`)).body).toEqual(body);
    for (const filter of ['userName eq "ADA@example.org"', 'externalId eq "x-ada"', `id eq "${body.id}"`]) {
      const found = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(found.body).toEqual({
        schemas: [LIST],
        totalResults: 1,
        startIndex: 1,
        itemsPerPage: 1,
        Resources: [body],
      });
    }
  });

  it('is there once: 409', async () => {
    expectError(await create('ada@example.org'), 409, 'uniqueness');
  });

  it('takes over a seat, and accepts an invitation', async () => {
    await sessionOf('grace@example.org', 'admin');
    const [seat] = await seatsOf('grace@example.org');
    expect((await create('grace@example.org')).body).toMatchObject({ active: true, roles: [{ value: 'admin' }] });
    expect(await seatsOf('grace@example.org')).toEqual([seat]);
    await api.tenant.call('POST', '/v1/org/invite', { email: 'alan@example.org', role: 'viewer' });
    await create('alan@example.org', { roles: [{ value: 'viewer' }] });
    expect(await seatsOf('alan@example.org')).toEqual([expect.objectContaining({ role: 'viewer', status: 'active' })]);
  });

  it('that is deactivated loses its seat and its sessions, and has another seat once it is active again', async () => {
    const { body: user } = await create('bob@example.org');
    const call = await sessionOf('bob@example.org');
    expect((await call('GET', '/frontdoor/auth/session')).status).toBe(200);
    const path = `/Users/${user.id}`;
    const off = await scim('PATCH', path, operations({ op: 'Replace', path: 'active', value: 'False' }));
    expect([off.status, off.body.active]).toEqual([200, false]);
    await expectEnded(call);
    expect((await scim('GET', path)).body).toMatchObject({ id: user.id, active: false });
    expect((await scim('PATCH', path, operations({ op: 'replace', value: { active: false } }))).status).toBe(200);
    const on = await scim('PUT', path, { schemas: [USER], userName: 'bob@example.org', active: true });
    expect(on.body).toMatchObject({ id: user.id, active: true });
    const seats = await seatsOf('bob@example.org');
    expect(seats.map(({ status }) => status).sort()).toEqual(['active', 'revoked']);
    await expectEnded(call);
  });

  it.each<[string, object, string]>([
    ['path', operations({ op: 'replace', path: 'Active', value: false }), 'PATCH'],
    ['path of Entra', operations({ op: 'Replace', path: 'ACTIVE', value: 'False' }), 'PATCH'],
    [
      'path with the schema',
      operations({ op: 'replace', path: `${USER.toUpperCase()}:Active`, value: false }),
      'PATCH',
    ],
    ['value', operations({ op: 'replace', value: { Active: false } }), 'PATCH'],
    ['user', { schemas: [USER], UserName: 'Una@example.org', ACTIVE: false }, 'PUT'],
  ])('is deactivated by an attribute in other letters: %s', async (_, body, method) => {
    const path = `/Users/${(await create('una@example.org')).body.id}`;
    expect(await scim(method, path, body)).toMatchObject({ status: 200, body: { active: false } });
    const silent = await scim('PUT', path, { schemas: [USER], userName: 'una@example.org' });
    expect([silent.status, silent.body.active]).toEqual([200, false]);
    expect((await scim('DELETE', path)).status).toBe(204);
  });

  it('loses a role that is removed', async () => {
    const path = `/Users/${(await create('rhea@example.org', { roles: [{ value: 'admin' }] })).body.id}`;
    const change = operations({ op: 'remove', path: 'roles[value eq "admin"]' });
    expect((await scim('PATCH', path, change)).body.roles).toEqual([{ value: 'member', primary: true }]);
    expect(await seatsOf('rhea@example.org')).toEqual([expect.objectContaining({ role: 'member' })]);
    expectError(await scim('PATCH', path, operations({ op: 'remove', path: 'active' })), 400, 'invalidValue');
    expectError(await scim('PATCH', path, operations({ op: 'replace', path: 'active' })), 400, 'invalidSyntax');
  });

  it('that has a seat by another invitation loses that one too', async () => {
    const { body: user } = await create('ivan@example.org');
    const [seat] = await seatsOf('ivan@example.org');
    await api.tenant.call('DELETE', `/v1/org/seats/${seat.id}`);
    expect((await scim('GET', `/Users/${user.id}`)).body.active).toBe(false);
    const call = await sessionOf('ivan@example.org');
    expect((await scim('GET', `/Users/${user.id}`)).body.active).toBe(true);
    await scim('PATCH', `/Users/${user.id}`, operations({ op: 'replace', path: 'active', value: false }));
    await expectEnded(call);
    await api.tenant.call('POST', '/v1/org/invite', { email: 'ivan@example.org' });
    await scim('DELETE', `/Users/${user.id}`);
    expect((await seatsOf('ivan@example.org')).map(({ status }) => status)).toEqual(['revoked', 'revoked', 'revoked']);
  });

  it('changes its role, which ends its sessions', async () => {
    const { body: user } = await create('carol@example.org');
    const call = await sessionOf('carol@example.org');
    const path = `/Users/${user.id}`;
    const change = operations({ op: 'replace', path: 'roles[primary eq true].value', value: 'admin' });
    expect((await scim('PATCH', path, change)).body.roles).toEqual([{ value: 'admin', primary: true }]);
    await expectEnded(call);
    expect(await seatsOf('carol@example.org')).toEqual([expect.objectContaining({ role: 'admin' })]);
  });

  it('that is deleted is gone, its seat revoked; a new one may have its name', async () => {
    const { body: user } = await create('dan@example.org');
    const call = await sessionOf('dan@example.org');
    const path = `/Users/${user.id}`;
    expect((await scim('DELETE', path)).status).toBe(204);
    await expectEnded(call);
    expectError(await scim('GET', path), 404);
    expectError(await scim('DELETE', path), 404);
    const again = await create('dan@example.org');
    expect([again.status, again.body.id === user.id]).toEqual([201, false]);
  });

  it.each<Record<string, string>>([{}, { 'content-length': '0' }])(
    'is deleted with a content type and no body: %j',
    async (headers) => {
      const { body: user } = await create('tess@example.org');
      const { body: group } = await scim('POST', '/Groups', { displayName: 'Tess' });
      for (const path of [`/Groups/${group.id}`, `/Users/${user.id}`]) {
        const answer = await send(api.url, 'DELETE', `/scim/v2${path}`, undefined, {
          ...{ authorization: `Bearer ${api.tenant.apiKey}`, 'content-type': 'application/scim+json', ...headers },
        });
        expect([path, answer.status]).toEqual([path, 204]);
      }
    },
  );

  it('leaves receipts of what it gave and took', async () => {
    const { body: user } = await create('fay@example.org');
    await scim('DELETE', `/Users/${user.id}`);
    const events = await api.database.query<{ kind: string; actor: string; reason: string }>(
      `select e.kind, e.actor, e.reason from seat_event e join seat s using (tenant_id, seat_id)
       where s.user_email = 'fay@example.org' order by e.event_id`,
    );
    const by = { actor: `key:${api.tenant.keyId}`, reason: 'provisioned by SCIM' };
    expect(events).toEqual([
      { kind: 'accepted', ...by },
      { kind: 'revoked', ...by },
    ]);
  });
});

describe('what is refused', () => {
  it('an owner: nobody becomes one, and the last one stays', async () => {
    expectError(await create('eve@example.org', { roles: [{ value: 'owner' }] }), 400, 'invalidValue');
    const { body } = await api.tenant.call('POST', '/v1/org/bootstrap-owner', { email: 'olga@example.org' });
    await send(api.url, 'POST', '/v1/org/accept-invite', { token: body.inviteToken });
    const { body: olga } = await create('olga@example.org', { roles: [{ value: 'viewer' }] });
    expect(olga.roles).toEqual([{ value: 'owner', primary: true }]);
    const path = `/Users/${olga.id}`;
    expectError(await scim('PATCH', path, operations({ op: 'replace', path: 'active', value: false })), 409);
    expectError(await scim('DELETE', path), 409);
    expect(await seatsOf('olga@example.org')).toEqual([expect.objectContaining({ role: 'owner', status: 'active' })]);
  });

  it('another userName: it is the seat', async () => {
    const { body } = await create('greta@example.org');
    const change = operations({ op: 'replace', path: 'userName', value: 'other@example.org' });
    expectError(await scim('PATCH', `/Users/${body.id}`, change), 400, 'mutability');
  });

  it('what is no user, no filter, no JSON', async () => {
    expectError(await create('no address'), 400, 'invalidValue');
    expectError(await scim('GET', '/Users?filter=userName'), 400, 'invalidFilter');
    const headers = { authorization: `Bearer ${api.tenant.apiKey}`, 'content-type': 'application/scim+json' };
    expectError(await send(api.url, 'POST', '/scim/v2/Users', '{"userName"', headers), 400, 'invalidSyntax');
    expectError(await scim('GET', '/Users/nosuch'), 404);
    const { body: user } = await create('nul@example.org');
    for (const value of ['a\0b', 'a\ud800b']) {
      expectError(await create('nil@example.org', { externalId: value }), 400, 'invalidValue');
      const change = operations({ op: 'add', path: 'externalId', value });
      expectError(await scim('PATCH', `/Users/${user.id}`, change), 400, 'invalidValue');
      expectError(await scim('POST', '/Groups', { displayName: value }), 400, 'invalidValue');
    }
  });
});

describe('two tenants', () => {
  it('see and change nothing of each other', async () => {
    const { body: user } = await create('hedy@example.org', { externalId: 'x-hedy' });
    const path = `/Users/${user.id}`;
    expectError(await scim('GET', path, undefined, other), 404);
    expectError(await scim('PUT', path, { userName: 'hedy@example.org', active: false }, other), 404);
    expectError(await scim('PATCH', path, operations({ op: 'replace', path: 'active', value: false }), other), 404);
    expectError(await scim('DELETE', path, undefined, other), 404);
    for (const filter of ['userName eq "hedy@example.org"', 'externalId eq "x-hedy"', `id eq "${user.id}"`]) {
      const { body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`, undefined, other);
      expect([body.totalResults, body.Resources]).toEqual([0, []]);
    }
    const theirs = await create('hedy@example.org', {}, other);
    expect(theirs.status).toBe(201);
    await scim('DELETE', `/Users/${theirs.body.id}`, undefined, other);
    expect((await scim('GET', path)).body).toEqual(user);
    expect(await seatsOf('hedy@example.org')).toEqual([expect.objectContaining({ status: 'active' })]);
  });
});

describe('a thousand users', () => {
  it('are listed page by page, each once', async () => {
    const many = await api.addTenant('many');
    await api.database.query(
      `insert into scim_user (tenant_id, user_id, user_name, role)
       select 'many', gen_random_uuid(), 'u' || n || '@example.org', 'member' from generate_series(1, 1000) n`,
    );
    const seen = new Set<string>();
    for (let startIndex = 1; startIndex <= 1000;) {
      const { body } = await scim('GET', `/Users?startIndex=${startIndex}&count=150`, undefined, many);
      expect([body.totalResults, body.startIndex]).toEqual([1000, startIndex]);
      for (const { id } of body.Resources) seen.add(id);
      startIndex += body.itemsPerPage;
    }
    expect(seen.size).toBe(1000);
    const whole = await scim('GET', '/Users?count=5000', undefined, many);
    expect(whole.body.itemsPerPage).toBe(200);
    const counted = await scim('GET', '/Users?count=0&startIndex=0', undefined, many);
    expect(counted.body).toEqual({
      schemas: [LIST],
      totalResults: 1000,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    const past = await scim('GET', '/Users?startIndex=5000', undefined, many);
    expect(past.body.Resources).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asSuperuser } from '../../kit/database.js';
import { bySession, send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

let api: TestApi;
let other: TestTenant;
beforeAll(async () => {
  const env = { SVC_OIDC_GROUP_ROLES: 'Admins:admin,00g-readers:viewer', SVC_OIDC_TENANTS: 'acme' };
  api = await startApi({ env });
  other = await api.addTenant('other');
});
afterAll(() => api.close());

/** As an identity provider calls: with a bearer and application/scim+json. */
const scim = (method: string, path: string, body?: unknown, tenant = api.tenant): Promise<Answer> =>
  send(api.url, method, `/scim/v2${path}`, body === undefined ? undefined : JSON.stringify(body), {
    authorization: `Bearer ${tenant.apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
  });
const operations = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const groupOf = (displayName: string, members: readonly string[] = [], tenant = api.tenant, more: object = {}) =>
  scim(
    'POST',
    '/Groups',
    { schemas: [GROUP], displayName, members: members.map((value) => ({ value })), ...more },
    tenant,
  );
const userOf = async (userName: string, role = 'member', tenant = api.tenant): Promise<string> => {
  const { status, body } = await scim(
    'POST',
    '/Users',
    { schemas: [USER], userName, roles: [{ value: role }] },
    tenant,
  );
  expect(status).toBe(201);
  return body.id as string;
};
const read = async (id: string) => {
  const { body } = await scim('GET', `/Users/${id}`);
  return { role: body.roles[0].value as string, groups: body.groups.map(({ display }: any) => display) as string[] };
};
const seatRole = async (email: string) =>
  (await api.tenant.call('GET', `/v1/org/seats?email=${encodeURIComponent(email)}`)).body.seats.map(
    ({ role }: any) => role,
  );
const expectError = ({ status, headers, body }: Answer, expected: number, scimType?: string, detail?: string): void =>
  expect([status, headers.get('content-type'), body]).toEqual([
    ...[expected, 'application/scim+json'],
    {
      ...{ schemas: [ERROR], status: String(expected), ...(scimType ? { scimType } : {}) },
      detail: detail ? expect.stringContaining(detail) : expect.any(String),
    },
  ]);

describe('a group', () => {
  it('is created with members, read, listed and found', async () => {
    const ada = await userOf('ada@example.org');
    const { status, headers, body } = await groupOf('Readers club', [ada, ada], api.tenant, { externalId: '00g1' });
    expect([status, headers.get('location'), body]).toEqual([
      201,
      body.meta.location,
      {
        ...{ schemas: [GROUP], id: expect.any(String), externalId: '00g1', displayName: 'Readers club' },
        members: [
          {
            value: ada,
            display: 'ada@example.org',
            type: 'User',
            $ref: expect.stringMatching(`/scim/v2/Users/${ada}$`),
          },
        ],
        meta: {
          ...{ resourceType: 'Group', created: expect.any(String), lastModified: expect.any(String) },
          location: expect.stringMatching(`/scim/v2/Groups/${body.id}$`),
        },
      },
    ]);
    expect((await scim('GET', `/Groups/${body.id}`)).body).toEqual(body);
    for (const filter of ['displayName eq "READERS club"', 'externalId eq "00g1"', `id eq "${body.id}"`])
      expect((await scim('GET', `/Groups?filter=${encodeURIComponent(filter)}`)).body.Resources).toEqual([body]);
    const { members: _, ...bare } = body;
    const listed = await scim('GET', '/Groups?excludedAttributes=members');
    expect([listed.body.totalResults, listed.body.Resources]).toEqual([1, [bare]]);
    expect((await read(ada)).groups).toEqual(['Readers club']);
    for (const name of ['Readers club', 'readers CLUB']) expectError(await groupOf(name), 409, 'uniqueness', name);
    const { body: second } = await groupOf('Second');
    const renamed = operations({ op: 'replace', path: 'displayName', value: 'READERS CLUB' });
    expectError(await scim('PATCH', `/Groups/${second.id}`, renamed), 409, 'uniqueness', 'READERS CLUB');
    await scim('DELETE', `/Groups/${second.id}`);
    expect((await scim('PATCH', `/Groups/${body.id}`, renamed)).body.displayName).toBe('READERS CLUB');
    expect((await read(ada)).groups).toEqual(['READERS CLUB']);
    expect((await scim('DELETE', `/Groups/${body.id}`)).status).toBe(204);
    expectError(await scim('GET', `/Groups/${body.id}`), 404);
    expect((await read(ada)).groups).toEqual([]);
  });

  it('is named by the kinds of resources and the schemas', async () => {
    const names = async (path: string) => (await scim('GET', path)).body.Resources.map(({ name }: any) => name);
    expect([await names('/ResourceTypes'), await names('/Schemas')]).toEqual([
      ['User', 'Group'],
      ['User', 'Group'],
    ]);
  });

  it('has a member once, whatever letters its id is written in', async () => {
    const zoe = await userOf('zoe@example.org');
    const { body: group } = await groupOf('Zoes', [zoe]);
    const path = `/Groups/${group.id}`;
    const upper = zoe.toUpperCase();
    const added = await scim('PATCH', path, operations({ op: 'add', path: 'members', value: [{ value: upper }] }));
    expect([added.status, added.body.members.length]).toEqual([200, 1]);
    for (const change of [
      { op: 'remove', path: `Members[value eq "${upper}"]` },
      { op: 'remove', path: 'Members', value: [{ value: upper }] },
    ]) {
      expect((await scim('PATCH', path, operations(change))).body.members).toEqual([]);
      await scim('PUT', path, { schemas: [GROUP], displayName: 'Zoes', Members: [{ value: upper }, { value: zoe }] });
      expect((await read(zoe)).groups).toEqual(['Zoes']);
    }
    expect((await scim('DELETE', path)).status).toBe(204);
  });

  it.each([
    ['without a name', { members: [] }, 'displayName'],
    ['with a group as a member', { displayName: 'N', members: [{ value: 'x', type: 'Group' }] }, 'x is a group'],
    ['with a member that is no id', { displayName: 'N', members: [{ value: 'nobody' }] }, 'nobody is no user'],
    [
      'with a member that is nobody',
      { displayName: 'N', members: [{ value: '01900000-0000-7000-8000-000000000000' }] },
      '01900000-0000-7000-8000-000000000000 is no user',
    ],
  ])('%s is refused, and nothing is kept', async (_, body, detail) => {
    expectError(await scim('POST', '/Groups', { schemas: [GROUP], ...body }), 400, 'invalidValue', detail);
    expect((await scim('GET', '/Groups')).body.totalResults).toBe(0);
  });
});

describe('groups', () => {
  it('of many members come on pages with as many as an answer holds', async () => {
    const crowd = await api.addTenant('crowd');
    await asSuperuser(
      api.database,
      `insert into scim_user (tenant_id, user_id, user_name, role)
         select 'crowd', gen_random_uuid(), 'u' || n || '@example.org', 'member' from generate_series(1, 9000) n;
       insert into scim_group (tenant_id, group_id, display_name) select 'crowd', gen_random_uuid(), 'g' || n from generate_series(1, 3) n;
       insert into scim_member (tenant_id, group_id, user_id)
         select g.tenant_id, g.group_id, u.user_id from scim_group g join scim_user u using (tenant_id) where g.tenant_id = 'crowd'`,
    );
    const page = async (startIndex: number, more = '') => {
      const { body } = await scim('GET', `/Groups?startIndex=${startIndex}${more}`, undefined, crowd);
      return [body.totalResults, body.itemsPerPage, body.Resources.map(({ members }: any) => members?.length)];
    };
    expect(await page(1)).toEqual([3, 2, [9000, 9000]]);
    expect(await page(3)).toEqual([3, 1, [9000]]);
    expect(await page(1, '&excludedAttributes=members')).toEqual([3, 3, [undefined, undefined, undefined]]);
  });
});

describe('users', () => {
  it('of many groups come on pages with as many as an answer holds', async () => {
    const joined = await api.addTenant('joined');
    await asSuperuser(
      api.database,
      `insert into scim_user (tenant_id, user_id, user_name, role)
         select 'joined', gen_random_uuid(), 'u' || n || '@example.org', 'member' from generate_series(1, 3) n;
       insert into scim_group (tenant_id, group_id, display_name)
         select 'joined', gen_random_uuid(), 'g' || n from generate_series(1, 9000) n;
       insert into scim_member (tenant_id, group_id, user_id)
         select g.tenant_id, g.group_id, u.user_id from scim_group g join scim_user u using (tenant_id) where g.tenant_id = 'joined'`,
    );
    const page = async (startIndex: number) => {
      const { body } = await scim('GET', `/Users?startIndex=${startIndex}`, undefined, joined);
      return [body.totalResults, body.itemsPerPage, body.Resources.map(({ groups }: any) => groups.length)];
    };
    expect(await page(1)).toEqual([3, 2, [9000, 9000]]);
    expect(await page(3)).toEqual([3, 1, [9000]]);
  });
});

describe('a group that gives a role', () => {
  it('gives it to who joins, and takes it from who leaves; sessions end with it', async () => {
    const [bob, eve] = [await userOf('bob@example.org'), await userOf('eve@example.org', 'viewer')];
    const { body: admins } = await groupOf('Admins', [bob]);
    expect([await read(bob), await seatRole('bob@example.org')]).toEqual([
      { role: 'admin', groups: ['Admins'] },
      ['admin'],
    ]);
    const invited = await api.tenant.call('POST', '/v1/org/invite', { email: 'bob@example.org' });
    const accepted = await send(api.url, 'POST', '/v1/org/accept-invite', { token: invited.body.inviteToken });
    const call = bySession(api.url, accepted.headers.getSetCookie()[0]!.split(';')[0]!);
    expect((await call('GET', '/frontdoor/auth/session')).status).toBe(200);
    const path = `/Groups/${admins.id}`;
    const added = await scim(
      'PATCH',
      path,
      operations({ op: 'Add', path: 'members', value: [{ $ref: null, value: eve }] }),
    );
    expect([added.status, added.body.members.length, (await read(eve)).role]).toEqual([200, 2, 'admin']);
    await scim('PATCH', path, operations({ op: 'remove', path: `members[value eq "${bob}"]` }));
    expect(await read(bob)).toEqual({ role: 'member', groups: [] });
    await vi.waitFor(async () => expect((await call('GET', '/frontdoor/auth/session')).status).toBe(401), {
      timeout: 20_000,
    });
    expect((await read(eve)).role).toBe('admin');
    await scim('PUT', path, { schemas: [GROUP], displayName: 'Others', members: [{ value: eve }] });
    expect(await read(eve)).toEqual({ role: 'viewer', groups: ['Others'] });
    await scim('PATCH', path, operations({ op: 'replace', path: 'displayName', value: 'Admins' }));
    expect((await read(eve)).role).toBe('admin');
    expect((await scim('DELETE', path)).status).toBe(204);
    expect([await read(eve), await seatRole('eve@example.org')]).toEqual([{ role: 'viewer', groups: [] }, ['viewer']]);
  });

  it('of several gives the strongest, by its name or the id of the provider', async () => {
    const kim = await userOf('kim@example.org');
    const { body: readers } = await groupOf('Reading', [kim], api.tenant, { externalId: '00g-readers' });
    expect((await read(kim)).role).toBe('viewer');
    const { body: admins } = await groupOf('Admins', [kim]);
    expect(await read(kim)).toEqual({ role: 'admin', groups: ['Admins', 'Reading'] });
    await scim('DELETE', `/Groups/${admins.id}`);
    expect((await read(kim)).role).toBe('viewer');
    await scim('DELETE', `/Groups/${readers.id}`);
    expect((await read(kim)).role).toBe('member');
  });

  it('decides over the attribute of a user, which holds again once it has left', async () => {
    const lee = await userOf('lee@example.org', 'viewer');
    const { body: admins } = await groupOf('Admins', [lee]);
    const path = `/Users/${lee}`;
    await scim('PATCH', path, operations({ op: 'replace', path: 'externalId', value: 'x' }));
    expect((await read(lee)).role).toBe('admin');
    await scim('PATCH', path, operations({ op: 'replace', path: 'active', value: false }));
    await scim('PATCH', path, operations({ op: 'replace', path: 'active', value: true }));
    expect([await read(lee), (await seatRole('lee@example.org')).includes('admin')]).toEqual([
      { role: 'admin', groups: ['Admins'] },
      true,
    ]);
    await scim('DELETE', `/Groups/${admins.id}`);
    expect((await read(lee)).role).toBe('viewer');
  });

  it('leaves an owner one, and decides nothing in a tenant that is not named', async () => {
    const owner = await api.tenant.call('POST', '/v1/org/bootstrap-owner', { email: 'boss@example.org' });
    expect(owner.status).toBeLessThan(300);
    const boss = (await scim('POST', '/Users', { schemas: [USER], userName: 'boss@example.org' })).body;
    await groupOf('Admins', [boss.id]);
    expect((await read(boss.id)).role).toBe('owner');
    const there = await userOf('ann@example.org', 'viewer', other);
    expect((await groupOf('Admins', [there], other)).status).toBe(201);
    expect((await scim('GET', `/Users/${there}`, undefined, other)).body.roles[0].value).toBe('viewer');
  });
});

describe('another tenant', () => {
  it('sees no group, changes none, and lends no members', async () => {
    const mine = await userOf('mia@example.org');
    const { body: group } = await groupOf('Mine', [mine]);
    const path = `/Groups/${group.id}`;
    expect(
      (await scim('GET', '/Groups?filter=' + encodeURIComponent('displayName eq "Mine"'), undefined, other)).body
        .totalResults,
    ).toBe(0);
    for (const answer of [
      await scim('GET', path, undefined, other),
      await scim('PUT', path, { schemas: [GROUP], displayName: 'Theirs' }, other),
      await scim('PATCH', path, operations({ op: 'remove', path: 'members' }), other),
      await scim('DELETE', path, undefined, other),
    ])
      expectError(answer, 404);
    expectError(await groupOf('Thieves', [mine], other), 400, 'invalidValue', mine);
    expect((await scim('GET', path)).body).toEqual(group);
  });
});

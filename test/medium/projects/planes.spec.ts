import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
});
afterAll(() => daemon.close());

/** The address of a project of its own for each test. */
let project: string;
let counted = 0;
beforeEach(async () => {
  counted += 1;
  project = `/v1/projects/p${counted}`;
  await must('POST', '/v1/projects', { id: `p${counted}`, default_passport_id: 'lead' });
});

const must = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await call(method, path, body);
  expect([method, path, answer.status, answer.body.detail]).toEqual([method, path, 200, undefined]);
  return answer.body;
};
const refusal = async (method: string, path: string, body?: object) => {
  const answer = await call(method, path, body);
  return [answer.status, answer.body.code];
};
const changesOf = async (subject: string) =>
  (
    await daemon.database.query<{ kind: string; data: any }>(
      `select kind, data from outbox_event where subject = '${subject}' order by transaction, position`,
    )
  ).map(({ kind, data }) => [kind, data.change ?? '', data.version].join(' '));

describe('a plane', () => {
  it('is created, listed and read with its members, tenants and repositories', async () => {
    const made = await must('POST', `${project}/planes`, { id: 'backend', name: 'Backend', description: 'The server' });
    expect(made).toMatchObject({
      ...{ id: 'backend', name: 'Backend', description: 'The server', default_passport_id: null, version: 1 },
      ...{ passports: [], tenants: [], repos: [] },
    });
    await must('POST', `${project}/planes/backend/passports`, { passport_id: 'ada', role: 'owner' });
    await must('POST', `${project}/planes/backend/tenants`, { tenant_id: 'acme', default_passport_id: 'bob' });
    await must('POST', `${project}/repos`, { repo: 'acme/server', plane_id: 'backend', role: 'source' });
    await must('POST', `${project}/repos`, { repo: 'acme/site' });
    const read = await must('GET', `${project}/planes/backend`);
    expect(read).toMatchObject({
      passports: [{ passport_id: 'ada', role: 'owner' }],
      tenants: [{ tenant_id: 'acme', default_passport_id: 'bob' }],
      repos: [{ repo: 'acme/server', plane_id: 'backend', role: 'source' }],
      version: 3,
    });
    const { passports: _p, tenants: _t, repos: _r, ...summary } = read;
    expect(await must('GET', `${project}/planes`)).toEqual({
      ...{ project_id: `p${counted}`, planes: [summary], count: 1, has_more: false, next_cursor: null },
    });
    expect(await changesOf(`p${counted}/backend`)).toEqual([
      'plane.created  1',
      'plane.changed member_added 2',
      'plane.changed tenant_linked 3',
    ]);
    // What belongs to a plane is not the project's own.
    expect(await must('GET', project)).toMatchObject({ passports: [], tenants: [], working_tenants: [] });
  });

  it('is there once, and not under the address of another route', async () => {
    await must('POST', `${project}/planes`, { id: 'one' });
    expect(await refusal('POST', `${project}/planes`, { id: 'one' })).toEqual([409, 'PLANE_KNOWN']);
    expect((await refusal('POST', `${project}/planes`, { id: 'sync-layers' }))[0]).toBe(400);
    expect((await refusal('POST', `${project}/planes`, { id: 'No Slug' }))[0]).toBe(400);
    expect(await refusal('GET', `${project}/planes/two`)).toEqual([404, 'PLANE_UNKNOWN']);
    expect(await refusal('GET', `/v1/projects/none/planes/one`)).toEqual([404, 'PROJECT_UNKNOWN']);
  });

  it('is deleted with its links; its repositories stay with the project, its id stays taken', async () => {
    await must('POST', `${project}/planes`, { id: 'gone' });
    await must('POST', `${project}/planes/gone/passports`, { passport_id: 'ada' });
    await must('POST', `${project}/planes/gone/tenants`, { tenant_id: 'acme' });
    await must('POST', `${project}/repos`, { repo: 'acme/server', plane_id: 'gone' });
    expect(await must('DELETE', `${project}/planes/gone`)).toEqual({
      ...{ id: 'gone', project_id: `p${counted}`, deleted: true, removed_links: 3 },
    });
    expect(await refusal('GET', `${project}/planes/gone`)).toEqual([404, 'PLANE_UNKNOWN']);
    expect(await refusal('DELETE', `${project}/planes/gone`)).toEqual([404, 'PLANE_UNKNOWN']);
    expect(await refusal('POST', `${project}/planes`, { id: 'gone' })).toEqual([409, 'PLANE_KNOWN']);
    expect((await must('GET', project)).repos).toMatchObject([{ repo: 'acme/server', plane_id: null }]);
    expect((await must('GET', `${project}/planes`)).planes).toEqual([]);
  });

  it('is listed page by page, by id', async () => {
    for (const id of ['c', 'a', 'b']) await must('POST', `${project}/planes`, { id });
    const first = await must('GET', `${project}/planes?limit=2`);
    const last = await must('GET', `${project}/planes?limit=2&cursor=${first.next_cursor}`);
    expect([...first.planes, ...last.planes].map(({ id }: any) => id)).toEqual(['a', 'b', 'c']);
    expect([first.has_more, last.has_more]).toEqual([true, false]);
  });
});

describe('the members and tenants of a project', () => {
  it('are added once, changed when added again, and removed', async () => {
    await must('POST', `${project}/passports`, { passport_id: 'ada' });
    await must('POST', `${project}/passports`, { passport_id: 'ada' });
    expect(await must('POST', `${project}/passports`, { passport_id: 'ada', role: 'lead' })).toMatchObject({
      ...{ passport_id: 'ada', role: 'lead' },
    });
    await must('POST', `${project}/tenants`, { tenant_id: 'acme' });
    await must('POST', `${project}/tenants`, { tenant_id: 'acme', default_passport_id: 'bob' });
    expect(await must('GET', project)).toMatchObject({
      passports: [{ passport_id: 'ada', role: 'lead' }],
      tenants: [{ tenant_id: 'acme', default_passport_id: 'bob' }],
      working_tenants: ['acme'],
      version: 5,
    });
    for (const path of [`${project}/passports/ada`, `${project}/tenants/acme`]) {
      expect(await must('DELETE', path)).toEqual({ deleted: true });
      expect(await must('DELETE', path)).toEqual({ deleted: false });
    }
    expect(await changesOf(`p${counted}`)).toEqual([
      'project.created  1',
      ...['member_added 2', 'member_changed 3', 'tenant_linked 4', 'tenant_changed 5'].map(
        (c) => `project.changed ${c}`,
      ),
      ...['member_removed 6', 'tenant_unlinked 7'].map((c) => `project.changed ${c}`),
    ]);
    const receipts = await daemon.database.query(`select 1 from receipt where subject = 'p${counted}'`);
    expect(receipts).toHaveLength(7);
  });

  it.each([
    ['passports', { passport_id: 'no one' }, 'body.passport_id'],
    ['passports', { passport_id: 'a', role: '' }, 'body.role'],
    ['passports', {}, 'body.passport_id'],
    ['tenants', { tenant_id: '' }, 'body.tenant_id'],
    ['tenants', { tenant_id: 'a', default_passport_id: '?' }, 'body.default_passport_id'],
    ['repos', { repo: 'no-slash' }, 'body.repo'],
    ['repos', { repo: 'a/b/c' }, 'body.repo'],
    ['repos', { repo: 'a/..' }, 'body.repo'],
    ['repos', { repo: 'a/b', plane_id: 'B' }, 'body.plane_id'],
  ])('refuse at %s %j', async (kind, body, member) => {
    const answer = await call('POST', `${project}/${kind}`, body);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(member)]);
  });

  it('are those of a project that is there and not archived', async () => {
    const kinds = {
      passports: { passport_id: 'a' },
      tenants: { tenant_id: 'a' },
      repos: { repo: 'a/b' },
      planes: { id: 'a' },
    };
    for (const [kind, body] of Object.entries(kinds))
      expect(await refusal('POST', `/v1/projects/none/${kind}`, body)).toEqual([404, 'PROJECT_UNKNOWN']);
    await must('PATCH', project, { archived: true });
    for (const [kind, body] of Object.entries(kinds))
      expect(await refusal('POST', `${project}/${kind}`, body)).toEqual([409, 'PROJECT_ARCHIVED']);
  });
});

describe('the repositories of a project', () => {
  it('are linked, moved to a plane, listed, and unlinked by owner and name', async () => {
    await must('POST', `${project}/planes`, { id: 'docs' });
    await must('POST', `${project}/repos`, { repo: 'acme/.github' });
    await must('POST', `${project}/repos`, { repo: 'acme/docs' });
    expect(await refusal('POST', `${project}/repos`, { repo: 'acme/docs', plane_id: 'none' })).toEqual([
      404,
      'PLANE_UNKNOWN',
    ]);
    await must('POST', `${project}/repos`, { repo: 'acme/docs', plane_id: 'docs' });
    const { links, ...rest } = await must('GET', `${project}/repos`);
    expect(links.map(({ repo, plane_id }: any) => [repo, plane_id])).toEqual([
      ['acme/.github', null],
      ['acme/docs', 'docs'],
    ]);
    expect(rest).toEqual({ project_id: `p${counted}`, count: 2, has_more: false, next_cursor: null });
    expect(await must('GET', `${project}/planes/docs/repos?limit=1`)).toMatchObject({
      ...{ plane_id: 'docs', count: 1, links: [{ repo: 'acme/docs' }] },
    });
    expect(await must('DELETE', `${project}/repos/acme/.github`)).toEqual({ deleted: true });
    expect(await must('DELETE', `${project}/repos/acme/.github`)).toEqual({ deleted: false });
    expect((await must('GET', `${project}/repos?limit=1`)).links).toMatchObject([{ repo: 'acme/docs' }]);
  });
});

describe('who may', () => {
  const mutations = (): [string, string, object | undefined][] => [
    ['POST', `${project}/passports`, { passport_id: 'a' }],
    ['DELETE', `${project}/passports/a`, undefined],
    ['POST', `${project}/tenants`, { tenant_id: 'a' }],
    ['DELETE', `${project}/tenants/a`, undefined],
    ['POST', `${project}/planes`, { id: 'who' }],
    ['POST', `${project}/planes/who/passports`, { passport_id: 'a' }],
    ['DELETE', `${project}/planes/who/passports/a`, undefined],
    ['POST', `${project}/planes/who/tenants`, { tenant_id: 'a' }],
    ['DELETE', `${project}/planes/who/tenants/a`, undefined],
    ['DELETE', `${project}/planes/who`, undefined],
  ];

  it('changes members, tenants and planes has admin:read; repositories ask for facts:write', async () => {
    const reader = daemon.as({ scopes: 'admin:read' });
    const writer = daemon.as({ scopes: 'facts:write' });
    for (const [method, path, body] of mutations()) {
      expect([path, (await writer(method, path, body)).status]).toEqual([path, 403]);
      expect([path, (await reader(method, path, body)).status]).toEqual([path, 200]);
    }
    expect((await reader('POST', `${project}/repos`, { repo: 'a/b' })).status).toBe(403);
    expect((await writer('POST', `${project}/repos`, { repo: 'a/b' })).status).toBe(200);
    expect((await writer('DELETE', `${project}/repos/a/b`)).status).toBe(200);
    expect((await writer('GET', `${project}/repos`)).status).toBe(403);
  });

  it('belongs to another tenant finds nothing', async () => {
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    for (const [method, path, body] of mutations())
      expect([path, (await other(method, path, body)).body.code]).toEqual([path, 'PROJECT_UNKNOWN']);
    expect((await other('POST', `${project}/repos`, { repo: 'a/b' })).body.code).toBe('PROJECT_UNKNOWN');
    expect((await other('GET', `${project}/planes`)).body.code).toBe('PROJECT_UNKNOWN');
  });
});

describe('many at once', () => {
  it('leave each member, each version and each receipt once', async () => {
    await must('POST', `${project}/planes`, { id: 'busy' });
    const names = Array.from({ length: 12 }, (_, n) => `m${n}`);
    await Promise.all(names.map((passport_id) => must('POST', `${project}/planes/busy/passports`, { passport_id })));
    const { passports, version } = await must('GET', `${project}/planes/busy`);
    expect([passports.length, version]).toEqual([12, 13]);
    const versions = (await changesOf(`p${counted}/busy`)).map((one) => Number(one.split(' ').at(-1)));
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1));
    const receipts = await daemon.database.query(`select 1 from receipt where subject = 'p${counted}/busy'`);
    expect(receipts).toHaveLength(13);
  });
});

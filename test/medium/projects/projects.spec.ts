import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const ROUTE = '/v1/projects';
const make = async (id: string, more: object = {}, by: DaemonCall = call): Promise<any> => {
  const { status, body } = await by('POST', ROUTE, { id, default_passport_id: 'lead', ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const patch = (id: string, body: object) => call('PATCH', `${ROUTE}/${id}`, body);
const read = async (id: string) => (await call('GET', `${ROUTE}/${id}`)).body;

const receiptsOf = (subject: string) =>
  daemon.database.query<{ kind: string; stream: string }>(
    `select kind, stream from receipt where subject = '${subject}' order by seq`,
  );
const eventsOf = async (subject: string) =>
  (
    await daemon.database.query<{ kind: string; data: any }>(
      `select kind, data from outbox_event where subject = '${subject}' order by transaction, position`,
    )
  ).map(({ kind, data }) => ({ kind, ...data }));

describe('a project', () => {
  it('is created, read and listed, with event and receipt', async () => {
    const as = daemon.as({ scopes: ALL_SCOPES, passport: 'maker' });
    const made = await make('lighthouse', { name: 'Lighthouse', working_tenants: ['shop', 'acme', 'shop'] }, as);
    expect(made).toMatchObject({
      ...{ id: 'lighthouse', name: 'Lighthouse', default_passport_id: 'lead', planning_target: null },
      ...{ working_tenants: ['acme', 'shop'], archived: false, is_default: false, tenant_id: 'default', version: 1 },
      ...{ created_by: 'passport:maker', passports: [], repos: [] },
      tenants: [
        { tenant_id: 'acme', default_passport_id: null, created_by: 'passport:maker' },
        { tenant_id: 'shop', default_passport_id: null, created_by: 'passport:maker' },
      ],
    });
    expect(await read('lighthouse')).toEqual(made);
    const { passports: _p, tenants: _t, repos: _r, ...summary } = made;
    expect((await call('GET', `${ROUTE}?archived=false`)).body.projects).toContainEqual(summary);
    expect((await call('GET', `${ROUTE}?archived=true`)).body.projects).toEqual([]);
    expect(await receiptsOf('lighthouse')).toEqual([{ kind: 'project.created', stream: 'projects/lighthouse' }]);
    expect(await eventsOf('lighthouse')).toMatchObject([
      { kind: 'project.created', projectId: 'lighthouse', version: 1, workingTenants: ['acme', 'shop'] },
    ]);
  });

  it('takes its id as its name where none is given', async () => {
    expect(await make('plain')).toMatchObject({ name: 'plain' });
  });

  it.each(['Upper', '-first', 'under_score', 'a'.repeat(64), '', 'a/b', 'ümlaut'])(
    'is refused the id %s',
    async (id) => {
      const { status, body } = await call('POST', ROUTE, { id, default_passport_id: 'lead' });
      expect([status, body.detail]).toEqual([400, expect.stringContaining('body.id')]);
    },
  );

  it('is refused the id of the layers of sessions, an empty tenant, and a lead that is no passport', async () => {
    const refused = async (body: object) =>
      (await call('POST', ROUTE, { id: 'x', default_passport_id: 'lead', ...body })).body;
    expect((await refused({ id: 'session' })).detail).toContain('body.id');
    expect((await refused({ working_tenants: ['a', ''] })).detail).toContain('body.working_tenants[1]');
    expect((await refused({ default_passport_id: 'no one' })).detail).toContain('body.default_passport_id');
    expect((await call('GET', `${ROUTE}/x`)).status).toBe(404);
  });

  it('is there once', async () => {
    await make('once');
    const { status, body } = await call('POST', ROUTE, { id: 'once', default_passport_id: 'lead' });
    expect([status, body.code]).toEqual([409, 'PROJECT_KNOWN']);
  });

  it('is listed page by page, by id, each once', async () => {
    const as = daemon.as({ scopes: ALL_SCOPES, tenant: 'pages' });
    for (const id of ['p3', 'p1', 'p5', 'p2', 'p4']) await make(id, {}, as);
    const seen: string[] = [];
    for (let cursor = ''; cursor !== null;) {
      const { body } = await as('GET', `${ROUTE}?limit=2${cursor && `&cursor=${cursor}`}`);
      expect([body.count, body.has_more]).toEqual([body.projects.length, body.next_cursor !== null]);
      seen.push(...body.projects.map((one: any) => one.id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(['p1', 'p2', 'p3', 'p4', 'p5']);
  });

  it('changes, each change a version with a receipt; what stays the same is none', async () => {
    await make('moving', { planning_target: 'v1' });
    expect((await patch('moving', { name: 'Moving', planning_target: null })).body).toMatchObject({
      ...{ name: 'Moving', planning_target: null, version: 2 },
    });
    expect((await patch('moving', { name: 'Moving' })).body.version).toBe(2);
    const late = await patch('moving', { name: 'Late', base_version: 1 });
    expect([late.status, late.body.version]).toEqual([409, 2]);
    expect((await patch('moving', { default_passport_id: 'other', base_version: 2 })).body.version).toBe(3);
    expect(await eventsOf('moving')).toMatchObject([
      { kind: 'project.created' },
      { kind: 'project.changed', name: 'Moving', planningTarget: null, version: 2 },
      { kind: 'project.changed', defaultPassportId: 'other', version: 3 },
    ]);
  });

  it('is the only default of its tenant', async () => {
    await make('first');
    await make('second');
    await patch('first', { is_default: true });
    expect((await patch('second', { is_default: true })).body.is_default).toBe(true);
    expect(await read('first')).toMatchObject({ is_default: false, version: 3 });
    const refused = await patch('second', { archived: true });
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('is_default')]);
    expect((await patch('second', { archived: true, is_default: false })).body).toMatchObject({
      ...{ archived: true, is_default: false },
    });
  });

  it('stays the only default under many who say so at once', async () => {
    const ids = ['race-a', 'race-b', 'race-c', 'race-d'];
    for (const id of ids) await make(id);
    const answers = await Promise.all(ids.map((id) => patch(id, { is_default: true })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const rows = await daemon.database.query(`select 1 from project where is_default and tenant_id = 'default'`);
    expect(rows).toHaveLength(1);
  });

  it('is brought back before it is changed once it is archived', async () => {
    await make('old');
    await patch('old', { archived: true });
    const refused = await patch('old', { name: 'New' });
    expect([refused.status, refused.body.code]).toEqual([409, 'PROJECT_ARCHIVED']);
    expect((await patch('old', { archived: false, name: 'New' })).body).toMatchObject({ archived: false, name: 'New' });
  });

  it('is deleted once it is archived, and its id stays taken', async () => {
    await make('gone', { working_tenants: ['acme'] });
    const early = await call('DELETE', `${ROUTE}/gone`);
    expect([early.status, early.body.detail]).toEqual([400, expect.stringContaining('archived')]);
    await patch('gone', { archived: true });
    const { body } = await call('DELETE', `${ROUTE}/gone`);
    expect(body).toEqual({ id: 'gone', deleted: true, removed_links: 1, removed_planes: 0 });
    expect((await call('GET', `${ROUTE}/gone`)).status).toBe(404);
    expect((await call('DELETE', `${ROUTE}/gone`)).body.code).toBe('PROJECT_UNKNOWN');
    expect((await call('POST', ROUTE, { id: 'gone', default_passport_id: 'lead' })).status).toBe(409);
    expect((await receiptsOf('gone')).map(({ kind }) => kind)).toEqual([
      'project.created',
      'project.changed',
      'project.deleted',
    ]);
  });

  it('is not there for another tenant, which has its own under the same id', async () => {
    await make('shared');
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    expect((await other('GET', `${ROUTE}/shared`)).status).toBe(404);
    await make('shared', { name: 'Theirs' }, other);
    expect((await read('shared')).name).toBe('shared');
  });

  it('asks for admin:read, and nothing less', async () => {
    for (const scopes of ['facts:read', 'facts:write', 'query:read'])
      expect((await daemon.as({ scopes })('GET', ROUTE)).status).toBe(403);
    await make('by-reader', {}, daemon.as({ scopes: 'admin:read' }));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { whileLocked } from '../../kit/held-lock.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  const env = { SVCD_FEATURE_INCIDENTS: '1', SVCD_FEATURE_LEGAL_HOLD: '1' };
  daemon = await startDaemon({ env, tenants: ['acme', 'globex'] });
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const ROUTE = '/v1/incidents';
const WINDOW = { from: '2026-01-31T12:00:00.000Z', to: '2026-01-31T18:00:00.000Z' };
const open = async (more: object = {}, by: DaemonCall = call): Promise<any> => {
  const { status, body } = await by('POST', ROUTE, {
    tenant_id: 'acme',
    title: 'Poisoned page',
    window: WINDOW,
    ...more,
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const acme = (): DaemonCall => daemon.as({ scopes: 'facts:write query:read admin:read', tenant: 'acme' });
const patch = (id: string, body: object) => acme()('PATCH', `${ROUTE}/${id}`, body);

describe('an incident', () => {
  it('is opened with what is known, and read back as it was', async () => {
    const sent = {
      session_ids: ['run-7'],
      agent_ids: ['codex:7'],
      entities: ['customer:1', 'document:handbook/leave'],
      notes: 'Seen by the night shift.',
      severity: 'high',
    };
    const made = await open(sent);
    expect(made.case).toMatchObject({
      ...sent,
      ...{ tenant_id: 'acme', title: 'Poisoned page', window: WINDOW, status: 'open', version: 1, closed_at: null },
      note_log: [{ text: 'Seen by the night shift.', by: expect.any(String), at: expect.any(String) }],
    });
    expect((await acme()('GET', `${ROUTE}/${made.case.incident_id}`)).body).toEqual({ ...made, radius_id: null });
    const receipt = await daemon.as({ scopes: 'receipts:read', tenant: 'acme' })(
      'GET',
      `/v1/receipts/${made.case_record_id}/verification?tenant_id=acme`,
    );
    expect(receipt.body).toMatchObject({ signature_valid: true, error_code: 'OK' });
  });

  it('goes on without an end, is of medium severity and names nobody where nothing is said', async () => {
    const made = await open({ window: { from: WINDOW.from } });
    expect(made.case).toMatchObject({ window: { from: WINDOW.from, to: null }, severity: 'medium', notes: '' });
    expect(made.case).toMatchObject({ session_ids: [], agent_ids: [], entities: [], note_log: [] });
  });

  it('is listed page by page, newest first, each once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await open({ tenant_id: 'globex', title: `${i}` })).case.incident_id);
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await call('GET', `${ROUTE}?tenant_id=globex&limit=2${cursor}`);
      expect(body).toMatchObject({ schema: 'svc.incidents/1', tenant_id: 'globex', count: body.cases.length });
      found.push(...body.cases.map((one: any) => one.incident_id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(found).toEqual(ids.reverse());
  });

  it('changes status and severity, and keeps every note', async () => {
    const { incident_id: id } = (await open({ notes: 'First.' })).case;
    const contained = await patch(id, { status: 'contained', severity: 'critical', notes: 'Second.', base_version: 1 });
    expect(contained.body.case).toMatchObject({ status: 'contained', severity: 'critical', version: 2 });
    expect(contained.body.case.notes).toBe('First.\n\nSecond.');
    const closed = await patch(id, { status: 'closed' });
    expect(closed.body.case).toMatchObject({ status: 'closed', version: 3, closed_at: expect.any(String) });
    expect((await patch(id, { status: 'open' })).body.case).toMatchObject({ status: 'open', closed_at: null });
    expect((await call('GET', `${ROUTE}?tenant_id=acme&status=closed`)).body.count).toBe(0);
  });

  it('has notes up to a length, and as many are on a page as fit', async () => {
    const note = 'n'.repeat(10_000);
    const ids = await Promise.all(
      Array.from({ length: 9 }, async () => (await open({ notes: note })).case.incident_id),
    );
    await Promise.all(
      ids.map(async (id: string) => {
        for (let n = 1; n < 26; n += 1) expect((await patch(id, { notes: note })).status).toBe(200);
      }),
    );
    const { status, body } = await patch(ids[0], { notes: note });
    expect([status, JSON.stringify(body.errors ?? body)]).toEqual([400, expect.stringContaining('body.notes')]);
    const page = await call('GET', `${ROUTE}?tenant_id=acme&limit=200`);
    expect([page.body.count, typeof page.body.next_cursor]).toEqual([8, 'string']);
  });

  it('is not changed by what was decided on an older version, nor by nothing', async () => {
    const { incident_id: id } = (await open()).case;
    expect((await patch(id, { severity: 'medium' })).body.case.version).toBe(1);
    await patch(id, { severity: 'low' });
    const { status, body } = await patch(id, { severity: 'high', base_version: 1 });
    expect([status, body.version]).toEqual([409, 2]);
  });

  it('leaves an event and a receipt of each change in its own stream', async () => {
    const { incident_id: id } = (await open()).case;
    await patch(id, { notes: 'More.' });
    const of = (table: string, order: string) =>
      daemon.database.query<{ kind: string }>(`select kind from ${table} where subject = '${id}' order by ${order}`);
    const kinds = ['incident.opened', 'incident.changed'].map((kind) => ({ kind }));
    expect(await of('outbox_event', 'transaction, position')).toEqual(kinds);
    expect(await of('receipt', 'seq')).toEqual(kinds);
  });
});

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['no tenant', { tenant_id: undefined }, 'tenant_id'],
    ['no title', { title: '' }, 'title'],
    ['no window', { window: undefined }, 'window'],
    ['a window without a beginning', { window: {} }, 'window'],
    ['a window that ends first', { window: { from: WINDOW.to, to: WINDOW.from } }, 'window.to'],
    ['a time that is none', { window: { from: 'yesterday' } }, 'window'],
    ['a severity of its own', { severity: 'awful' }, 'severity'],
    ['too many names', { entities: Array.from({ length: 201 }, (_, i) => `e${i}`) }, 'entities'],
    ['a member there is not', { color: 'red' }, 'color'],
  ])('is %s: 400 names the member', async (_what, more, member) => {
    const { status, body } = await call('POST', ROUTE, { tenant_id: 'acme', title: 'x', window: WINDOW, ...more });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(member)]);
  });

  it('is a list without a tenant, a move that the status does not allow, an id that is none', async () => {
    expect((await call('GET', ROUTE)).status).toBe(400);
    const { incident_id: id } = (await open()).case;
    await patch(id, { status: 'closed' });
    const { status, body } = await patch(id, { status: 'contained' });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('allowed: open')]);
    expect((await acme()('GET', `${ROUTE}/nothing`)).status).toBe(400);
    expect((await acme()('GET', `${ROUTE}/0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11`)).status).toBe(404);
  });

  it('is the incident of another tenant, whatever is asked of it', async () => {
    const { incident_id: id } = (await open()).case;
    const globex = daemon.as({ scopes: 'facts:write query:read', tenant: 'globex' });
    const answers = await Promise.all([
      globex('GET', `${ROUTE}/${id}`),
      globex('PATCH', `${ROUTE}/${id}`, { status: 'closed' }),
      globex('POST', `${ROUTE}/${id}/blast-radius`, { kind: 'answer', id: 'x' }),
      globex('GET', `${ROUTE}/${id}/blast-radius`),
      globex('GET', `${ROUTE}/${id}/blast-radius/edges`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});

it('a daemon without the flag answers as if there were no such address', async () => {
  const plain = await startDaemon({ database: daemon.database });
  const answers = await Promise.all([
    plain.call('GET', `${ROUTE}?tenant_id=acme`),
    plain.call('POST', ROUTE, {}),
    plain.call('PATCH', `${ROUTE}/x`, {}),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  await plain.close();
});

describe('a hold of an incident', () => {
  it('is not released past an opening that is under way', async () => {
    const operator = daemon.as({ scopes: ALL_SCOPES, tenant: 'acme' });
    const { case: incident } = await open({ entities: ['leak:'] });
    const { body: held } = await operator('POST', `${ROUTE}/${incident.incident_id}/hold`, {});
    const release = () => operator('DELETE', `/v1/legal-holds/${held.hold_id}`);
    expect((await release()).status).toBe(409);
    await patch(incident.incident_id, { status: 'closed' });
    const opening = `update incident set status = 'open', closed_at = null where incident_id = '${incident.incident_id}'`;
    await whileLocked(daemon.database, opening, async ({ waitForBlocked, commit }) => {
      const released = release();
      await waitForBlocked(1, 'incident');
      await commit();
      const { status, body } = await released;
      expect([status, body.incident_id]).toEqual([409, incident.incident_id]);
    });
    await patch(incident.incident_id, { status: 'closed' });
    expect((await release()).status).toBe(200);
  });
});

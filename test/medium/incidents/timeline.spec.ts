import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { allOf, givenFact, openIncident, walk } from './given.js';

const SCOPES = 'facts:write facts:read query:read admin:read admin:write exports:read receipts:read';
let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({
    env: { SVCD_FEATURE_INCIDENTS: '1', SVCD_FEATURE_LEGAL_HOLD: '1' },
    tenants: ['acme', 'globex'],
  });
  call = daemon.as({ scopes: SCOPES, tenant: 'acme' });
});
afterAll(() => daemon.close());

const timelineOf = (incident: string, more = '', limit = 200) =>
  allOf(call, `${incident}/timeline?x=`.replace('?x=', `?${more}`), 'entries', limit);

describe('a timeline', () => {
  it('merges all sources by time, each entry once, whatever the size of a page', async () => {
    const facts = [];
    for (let i = 0; i < 5; i++) facts.push(await givenFact(call, `k${i}`, { entity: 'timeline:a' }));
    const incident = await openIncident(call, 'acme');
    const whole = await timelineOf(incident);
    const times = whole.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    expect(new Set(whole.map(({ source }) => source))).toEqual(new Set(['receipt', 'event', 'fact']));
    const ids = whole.map(({ source, id }) => `${source} ${id}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await timelineOf(incident, '', 2)).toEqual(whole);
    expect((await timelineOf(incident, 'source=fact')).map(({ id }) => id)).toEqual(
      facts.map(({ fact_id }) => fact_id),
    );
  });

  it('is of the sessions, agents and entities that the incident names', async () => {
    const here = daemon.as({ scopes: SCOPES, tenant: 'acme', passport: 'mole:1' });
    const moles = await givenFact(here, 'dug', { entity: 'garden:1' });
    const others = await givenFact(call, 'sown', { entity: 'garden:2' });
    const byAgent = await openIncident(call, 'acme', { agent_ids: ['mole:1'] });
    expect((await timelineOf(byAgent, 'source=fact')).map(({ id }) => id)).toEqual([moles.fact_id]);
    const byEntity = await openIncident(call, 'acme', { entities: ['garden:2'] });
    const entries = await timelineOf(byEntity);
    expect(entries.filter(({ source }) => source === 'fact').map(({ id }) => id)).toEqual([others.fact_id]);
    const both = await openIncident(call, 'acme', { agent_ids: ['mole:1'], entities: ['garden:'] });
    expect((await timelineOf(both, 'source=fact')).length).toBe(2);
  });

  it('says of a private fact nothing but that a receipt was made', async () => {
    const fact = await givenFact(call, 'secret', { entity: 'hidden:1', value: 'hush', private: true });
    const incident = await openIncident(call, 'acme');
    const text = JSON.stringify(await timelineOf(incident));
    expect(text).not.toContain('hush');
    expect(text).not.toContain('hidden:1');
    expect(text).toContain(fact.receipt_id);
  });

  it('begins and ends with the window', async () => {
    const fact = await givenFact(call, 'late', { entity: 'window:1' });
    const from = new Date(Date.now() - 60_000).toISOString();
    const to = new Date(Date.parse(fact.stored_at) - 1).toISOString();
    const before = await openIncident(call, 'acme', { window: { from, to }, entities: ['window:1'] });
    expect(await timelineOf(before)).toEqual([]);
    const at = await openIncident(call, 'acme', {
      window: { from: fact.stored_at, to: fact.stored_at },
      entities: ['window:1'],
    });
    expect((await timelineOf(at, 'source=fact')).length).toBe(1);
  });

  it('refuses a forged cursor, and one at the end of time is past everything', async () => {
    const incident = await openIncident(call, 'acme');
    const cursorOf = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url');
    expect((await call('GET', `${incident}/timeline?cursor=${cursorOf(['x', 'y', 'z'])}`)).status).toBe(400);
    const { status, body } = await call(
      'GET',
      `${incident}/timeline?cursor=${cursorOf(['9223372036854775807', 'z', 'z'])}`,
    );
    expect([status, body.entries]).toEqual([200, []]);
    expect((await call('GET', `${incident}/timeline?source=rumour`)).status).toBe(400);
  });
});

describe('a hold of an incident', () => {
  it('pins its entities, and is not released before it is closed', async () => {
    const fact = await givenFact(call, 'kept', { entity: 'matter:1' });
    const incident = await openIncident(call, 'acme', { entities: ['matter:1'] });
    const { status, body } = await call('POST', `${incident}/hold`, { entity_prefixes: ['matter:2'] });
    expect([status, body.entity_prefixes]).toEqual([200, ['matter:1', 'matter:2']]);
    const refused = await call('DELETE', `/v1/facts/${fact.fact_id}`);
    expect([refused.status, refused.body.hold_ids]).toEqual([409, [body.hold_id]]);
    expect((await call('DELETE', `/v1/legal-holds/${body.hold_id}`)).status).toBe(409);
    await call('PATCH', incident, { status: 'closed' });
    expect((await call('DELETE', `/v1/legal-holds/${body.hold_id}`)).status).toBe(200);
  });

  it('does not keep its entities from being set aside, and from coming back', async () => {
    const fact = await givenFact(call, 'both', { entity: 'matter:3' });
    const incident = await openIncident(call, 'acme', { entities: ['matter:3'] });
    await call('POST', `${incident}/hold`, {});
    await walk(call, incident, { kind: 'fact', id: fact.fact_id, apply: true });
    expect((await call('GET', '/v1/facts/entity/matter%3A3')).body.facts).toEqual([]);
    await walk(call, incident, { undo: true });
    expect((await call('GET', '/v1/facts/entity/matter%3A3')).body.facts.length).toBe(1);
  });

  it('is refused where there is nothing to hold, under a closed incident, and without admin:write', async () => {
    const nameless = await openIncident(call, 'acme');
    expect((await call('POST', `${nameless}/hold`, {})).status).toBe(400);
    const closed = await openIncident(call, 'acme', { entities: ['x'] });
    const writer = daemon.as({ scopes: 'facts:write', tenant: 'acme' });
    expect((await writer('POST', `${closed}/hold`, {})).status).toBe(403);
    await call('PATCH', closed, { status: 'closed' });
    expect((await call('POST', `${closed}/hold`, {})).status).toBe(409);
    const globex = daemon.as({ scopes: SCOPES, tenant: 'globex' });
    const answers = await Promise.all([
      globex('POST', `${nameless}/hold`, { entity_prefixes: ['x'] }),
      globex('GET', `${nameless}/timeline`),
      globex('POST', `${nameless}/export`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe('an export of an incident', () => {
  it('has the case, its receipts and events, and the facts of its entities', async () => {
    const fact = await givenFact(call, 'seen', { entity: 'exported:1', value: 'a forged invoice' });
    const incident = await openIncident(call, 'acme', { entities: ['exported:1'], notes: 'Look at the invoice.' });
    await call('PATCH', incident, { status: 'contained' });
    const { status, body } = await call('POST', `${incident}/export`);
    expect(status).toBe(200);
    expect(body.manifest).toMatchObject({ subject: 'action', mode: 'audit', complete: true, tenant_id: 'acme' });
    const values = body.disclosures.map(({ path, value }: any) => [path.join('.'), value]);
    expect(values).toContainEqual(['case.title', 'Poison']);
    expect(values).toContainEqual(['case.status', 'contained']);
    const text = JSON.stringify(values);
    for (const part of ['incident.opened', 'incident.changed', fact.fact_id, 'a forged invoice', 'fact.batch'])
      expect(text).toContain(part);
    const verified = await call('POST', '/v1/audit/bundle/verify', body);
    expect([verified.status, verified.body.detail]).toEqual([200, undefined]);
    expect(JSON.stringify(verified.body)).toContain('inclusion');
    expect(verified.body.checks?.filter(({ ok, name }: any) => !ok && name !== 'auth-mode') ?? []).toEqual([]);
  });

  it('has the facts of entities that begin as one is named, without what is set aside', async () => {
    const first = await givenFact(call, 'days', { entity: 'begins:leave', value: 'thirty' });
    const bad = await givenFact(call, 'days', { entity: 'begins:leave', value: 'two hundred' });
    await givenFact(call, 'days', { entity: 'begins:leave', value: 'twenty-eight' });
    await givenFact(call, 'days', { entity: 'begins:travel', value: 'five' });
    await givenFact(call, 'days', { entity: 'other:begins', value: 'none' });
    const incident = await openIncident(call, 'acme', { entities: ['begins:'] });
    const exported = async (method: string, path: string) => {
      const { body } = await call(method, path);
      const verified = await call('POST', '/v1/audit/bundle/verify', body);
      expect(verified.body.checks?.filter(({ ok, name }: any) => !ok && name !== 'auth-mode') ?? []).toEqual([]);
      const text = JSON.stringify(body.disclosures);
      const values = ['thirty', 'two hundred', 'twenty-eight', 'five', 'none'].filter((v) => text.includes(`"${v}"`));
      return { complete: body.manifest.complete, values };
    };
    const whole = { complete: true, values: ['thirty', 'two hundred', 'twenty-eight', 'five'] };
    expect(await exported('POST', `${incident}/export`)).toEqual(whole);
    await walk(call, incident, { kind: 'fact', id: bad.fact_id, apply: true });
    expect((await call('GET', `/v1/facts/${first.fact_id}`)).body.quarantined).toBeFalsy();
    // The first one stands before the gap.
    expect(await exported('POST', `${incident}/export`)).toEqual({ complete: false, values: ['twenty-eight', 'five'] });
    const ofEntity = '/v1/replay/exports/facts/begins:leave?tenant_id=acme';
    expect(await exported('GET', ofEntity)).toEqual({ complete: false, values: ['twenty-eight'] });
  });

  it('takes a format and withholds what is named', async () => {
    const incident = await openIncident(call, 'acme', { notes: 'A secret.' });
    const { body } = await call('POST', `${incident}/export?redaction=notes,text`);
    expect(JSON.stringify(body)).not.toContain('A secret.');
    expect((await call('POST', `${incident}/export?format=tar`)).status).toBe(400);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { sendOk } from '../../kit/send-ok.js';
import { force, gated, made, must, patch } from '../work/given.js';

let daemon: TestDaemon;
let reader: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1', SVCD_FEATURE_LEGAL_HOLD: '1' } });
  reader = daemon.as({ scopes: 'tenant:chunks:read' });
  const put = (body: object, by = daemon.call) => sendOk(by, 'PUT', '/v1/facts', { value: 'A value.', ...body });
  await put({ entity: 'lamp', key: 'oil', confidence: 0.9 });
  await put({ entity: 'lamp', key: 'oil', confidence: 0.9 });
  await put({ entity: 'lamp', key: 'wick', confidence: 0.4 });
  await put({ entity: '__internal', key: 'k' });
  await put({ entity: 'secret', key: 'k', private: true }, daemon.as({ scopes: ALL_SCOPES, passport: 'ada' }));
  const ask = { passport_id: 'helper', display_name: 'Helper', kind: 'agent' };
  await sendOk(daemon.as({ scopes: ALL_SCOPES, passport: 'ada' }), 'POST', '/v1/passport/mint-requests', ask);
  await sendOk(daemon.call, 'POST', '/v1/legal-holds', {
    tenant_id: 'default',
    reason: 'A case.',
    entity_prefixes: ['x:'],
  });
});
afterAll(() => daemon.close());

describe('the overview of the console', () => {
  it('counts facts as the list does, whoever reads', async () => {
    for (const by of [
      daemon.as({ scopes: 'admin:read' }),
      reader,
      daemon.as({ scopes: 'admin:read', passport: 'ada' }),
    ]) {
      const { facts, authority } = await sendOk(by, 'GET', '/v1/console/summary');
      expect(authority).toBe('GET /v1/facts/list');
      if (by === reader) continue;
      const current = '/v1/facts/list?limit=1&include_superseded=0';
      const list = await sendOk(by, 'GET', current);
      const reserved = await sendOk(by, 'GET', `${current}&include_reserved=1`);
      const all = await sendOk(by, 'GET', '/v1/facts/list?limit=1&include_reserved=1');
      expect(facts).toEqual({
        ...{ shown: list.total_visible, shown_with_reserved: reserved.total_visible },
        ...{ versions: all.total_visible, stored: all.total_nondeleted },
      });
    }
    const { facts } = await sendOk(reader, 'GET', '/v1/console/summary');
    expect(facts).toMatchObject({ shown: 2, stored: 5 });
  });

  it('says what waits, what is held and what happened last', async () => {
    const summary = await sendOk(reader, 'GET', '/v1/console/summary');
    expect(summary).toMatchObject({ waiting: { mint_requests: 1, gates: 0 }, active_holds: 1, open_incidents: 0 });
    expect(summary.last_receipts).toHaveLength(5);
  });

  it('counts a gate until its item changes, and lists it so long', async () => {
    const ada = daemon.as({ scopes: ALL_SCOPES, passport: 'ada' });
    const item = await made(ada, { state: 'in_review', assignee_passport: 'ada' });
    await must(patch(ada, item.id, { state: 'done' }));
    const waiting = async () => {
      const { waiting: counts } = await sendOk(reader, 'GET', '/v1/console/summary');
      const queue = await sendOk(reader, 'GET', '/v1/console/review/queue');
      return [counts.gates, JSON.stringify(queue).includes('A thing: in_review')];
    };
    expect(await waiting()).toEqual([1, true]);
    await must(patch(ada, item.id, { title: 'Another' }));
    expect(await waiting()).toEqual([0, false]);
  });

  it('lists the newest facts by what is left of their confidence, without those of others', async () => {
    const { facts } = await sendOk(reader, 'GET', '/v1/console/facts?top_k=10');
    expect(facts.map((one: any) => [one.key, Math.round(one.score * 10)])).toEqual([
      ['oil', 9],
      ['wick', 4],
    ]);
    expect((await sendOk(reader, 'GET', '/v1/console/facts?top_k=1')).count).toBe(1);
    expect((await reader('GET', '/v1/console/facts?top_k=0')).status).toBe(400);
  });

  it('leads from what waits to the route that decides on it', async () => {
    const { items, has_more } = await sendOk(reader, 'GET', '/v1/console/review/queue');
    expect([items.length, has_more]).toEqual([1, false]);
    expect(items[0]).toMatchObject({ kind: 'mint_request', title: 'helper' });
    const [method, path] = items[0].decide.approve.split(' ');
    await sendOk(daemon.as({ scopes: ALL_SCOPES, passport: 'bo' }), method, path, {});
    expect((await sendOk(reader, 'GET', '/v1/console/review/queue?limit=1')).items).toEqual([]);
  });

  it('names what waits: the move of a work item, and who asks for access', async () => {
    const here = { tenant: 'elsewhere', scopes: ALL_SCOPES };
    await gated(daemon.as({ ...here, passport: 'ada' }), { title: 'Paint the pier' });
    for (const [email, name, company] of [
      ['ada@example.org', 'Ada Lovelace', null],
      ['bo@example.org', null, 'Engines Ltd'],
    ])
      await force(
        daemon,
        `insert into access_request (tenant_id, request_id, audience, requester_email, requester_name, company_name, api_key_provided)
         values ('elsewhere', gen_random_uuid(), 'human', $1, $2, $3, false)`,
        [email, name, company],
      );
    const { items } = await sendOk(daemon.as(here), 'GET', '/v1/console/review/queue');
    const named = items.map(({ title, requested_by }: any) => [title, requested_by]);
    expect(named).toHaveLength(3);
    expect(named).toContainEqual(['Paint the pier: in_review → done', expect.any(String)]);
    expect(named).toContainEqual(['Ada Lovelace', 'Ada Lovelace']);
    expect(named).toContainEqual(['b...@example.org, Engines Ltd', 'b...@example.org']);
  });

  it('shows the daemon: gates, database, jobs, log', async () => {
    const infra = await sendOk(reader, 'GET', '/v1/console/infra/summary');
    expect(infra.gates).toHaveLength(9);
    expect(infra.database.bytes).toBeGreaterThan(1e6);
    expect(infra.process).toMatchObject({ pid: process.pid, supervised: false });
    expect(infra.jobs.map((one: any) => one.name)).toContain('log_sequencer');
  });

  it('asks for its scopes', async () => {
    const by = daemon.as({ scopes: 'facts:read' });
    for (const path of ['summary', 'facts', 'review/queue', 'infra/summary'])
      expect([path, (await by('GET', `/v1/console/${path}`)).status]).toEqual([path, 403]);
    expect((await by('POST', '/v1/console/embedding/probe')).status).toBe(403);
  });

  it('is of one tenant', async () => {
    const other = daemon.as({ scopes: 'tenant:content:preview facts:write', tenant: 'other' });
    await sendOk(other, 'PUT', '/v1/facts', { entity: 'only', key: 'k', value: 'v' });
    expect((await sendOk(other, 'GET', '/v1/console/summary')).facts).toMatchObject({ shown: 1, stored: 1 });
    expect((await sendOk(other, 'GET', '/v1/console/facts')).facts.map((one: any) => one.entity)).toEqual(['only']);
  });

  it('says that no embeddings endpoint is configured, and takes no address', async () => {
    const { status, body } = await daemon.call('POST', '/v1/console/embedding/probe');
    expect([status, body]).toMatchObject([200, { status: 'not_configured', dimension: null, latency_ms: null }]);
  });

  it('shows first steps to everybody, with nothing of any tenant', async () => {
    const anyone = await sendOk(daemon.as({}), 'GET', '/v1/console/onboarding');
    expect(anyone).toEqual(
      await sendOk(daemon.as({ scopes: ALL_SCOPES, tenant: 'other' }), 'GET', '/v1/console/onboarding'),
    );
    expect(anyone.steps.length).toBeGreaterThan(3);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DaemonCaller } from '../../../src/common/bearer-auth/daemon-caller.js';
import { IncidentStates } from '../../../src/modules/governance/legal-holds/incident-states.service.js';
import { LegalHoldsService } from '../../../src/modules/governance/legal-holds/legal-holds.service.js';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { createTenants, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants: ['default'] });
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const ROUTE = '/v1/legal-holds';
const place = async (entity_prefixes: string[] = [], tenant_id = 'default', by = call): Promise<any> => {
  const { status, body } = await by('POST', ROUTE, { tenant_id, reason: 'Matter 2026-17', entity_prefixes });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body;
};
const receiptsOf = (subject: string) =>
  daemon.database.query<{ kind: string; stream: string; cose: Buffer }>(
    'select kind, stream, cose from receipt where subject = $1 order by seq',
    [subject],
  );

describe('a legal hold', () => {
  it('is placed and released, each with a signed receipt and an event', async () => {
    const { hold, receipt, receipt_record_id, schema } = await place(['project:atlas', 'project:atlas', 'user:ada']);
    expect(schema).toBe('svc.legal_hold/1');
    expect(hold).toMatchObject({
      tenant_id: 'default',
      status: 'active',
      entity_prefixes: ['project:atlas', 'user:ada'],
    });
    expect(receipt).toMatchObject({ receipt_id: receipt_record_id, kind: 'hold.placed' });
    expect(openReceipt(Buffer.from(receipt.cose_base64, 'base64')).payload).toMatchObject({
      subject: hold.id,
      body: { hold_id: hold.id, reason: 'Matter 2026-17', entity_prefixes: ['project:atlas', 'user:ada'] },
    });

    const released = await call('DELETE', `${ROUTE}/${hold.id}`);
    expect(released.status).toBe(200);
    expect(released.body).toMatchObject({
      hold: { id: hold.id, status: 'released' },
      receipt: { kind: 'hold.released' },
    });
    expect((await receiptsOf(hold.id)).map(({ kind, stream }) => [kind, stream])).toEqual([
      ['hold.placed', 'legal-holds'],
      ['hold.released', 'legal-holds'],
    ]);
    const events = await daemon.database.query<{ kind: string; data: any }>(
      'select kind, data from outbox_event where subject = $1 order by transaction, position',
      [hold.id],
    );
    expect(events.map(({ kind }) => kind)).toEqual(['hold.placed', 'hold.released']);
    expect(JSON.stringify(events)).not.toContain('Matter');

    const again = await call('DELETE', `${ROUTE}/${hold.id}`);
    expect(again.body).toMatchObject({ status: 409, code: 'HOLD_NOT_RELEASABLE', hold_id: hold.id });
    expect((await call('DELETE', `${ROUTE}/018f0000-0000-7000-8000-000000000000`)).status).toBe(404);
    expect((await call('DELETE', `${ROUTE}/no-id`)).status).toBe(400);
  });

  it('is refused where it cannot be understood, and where there is no such tenant', async () => {
    const wrong: [object, number, string][] = [
      [{ tenant_id: 'default' }, 400, 'reason'],
      [{ reason: 'x' }, 400, 'tenant_id'],
      [{ tenant_id: 'default', reason: '   ' }, 400, 'reason'],
      [{ tenant_id: 'default', reason: 'x', entity_prefixes: ['a', ''] }, 400, 'entity_prefixes[1]'],
      [{ tenant_id: 'default', reason: 'x', entity_prefixes: 'a' }, 400, 'entity_prefixes'],
      [{ tenant_id: 'default', reason: 'x', entity_prefixes: [7] }, 400, 'entity_prefixes'],
      [{ tenant_id: 'default', reason: 'x', entity_prefixes: ['a'.repeat(641)] }, 400, 'entity_prefixes'],
      [{ tenant_id: 'default', reason: 'x', entity_prefixes: Array(101).fill('a') }, 400, 'entity_prefixes'],
      [{ tenant_id: 'default', reason: 'x', until: '2027' }, 400, 'until'],
      [{ tenant_id: 'nobody', reason: 'x' }, 404, 'nobody'],
    ];
    for (const [request, status, named] of wrong) {
      const answer = await call('POST', ROUTE, request);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(named)]);
    }
  });

  it('is listed by pages, newest first, and by its state', async () => {
    await createTenants(daemon.database, ['lists']);
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.unshift((await place([`e:${at}`], 'lists')).hold.id);
    await call('DELETE', `${ROUTE}/${ids[4]}`);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await call('GET', `${ROUTE}?tenant_id=lists&limit=2${cursor && `&cursor=${cursor}`}`);
      expect([status, body.count]).toEqual([200, body.holds.length]);
      seen.push(...body.holds.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor ?? '';
    } while (cursor);
    expect(seen).toEqual(ids);
    const active = (await call('GET', `${ROUTE}?tenant_id=lists&status=active`)).body;
    expect(active.holds.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 4));
    expect((await call('GET', `${ROUTE}?tenant_id=lists&status=released`)).body.count).toBe(1);
    expect((await call('GET', `${ROUTE}?cursor=x`)).status).toBe(400);
  });

  it('needs admin:write, and is not there for other tenants', async () => {
    await createTenants(daemon.database, ['own', 'other']);
    const { hold } = await place([], 'own');
    const reader = daemon.as({ scopes: 'admin:read facts:write', tenant: 'own' });
    expect((await reader('POST', ROUTE, { tenant_id: 'own', reason: 'x' })).status).toBe(403);
    expect((await reader('DELETE', `${ROUTE}/${hold.id}`)).status).toBe(403);
    expect((await reader('GET', `${ROUTE}/${hold.id}`)).status).toBe(200);
    expect((await call('GET', `${ROUTE}?tenant_id=other`)).body).toMatchObject({ holds: [], count: 0 });
    expect((await call('DELETE', `${ROUTE}/${hold.id}`)).status).toBe(200);
  });

  it('says what it pins, by table and entity, and what it refused', async () => {
    await createTenants(daemon.database, ['counts']);
    const here = daemon.as({ scopes: 'admin:write facts:write', tenant: 'counts' });
    for (const entity of ['p:a', 'p:b', 'q:c', 'p:a']) await here('PUT', '/v1/facts', { entity, key: 'k', value: 'v' });
    await here('PUT', '/v1/entities/p/x', { payload: { a: 1 } });
    const { hold } = await place(['p:'], 'counts');
    const fact = (await here('PUT', '/v1/facts', { entity: 'p:a', key: 'k', value: 'new' })).body;
    for (let at = 0; at < 3; at++)
      expect((await here('DELETE', `/v1/facts/${fact.fact_id}`)).body).toMatchObject({
        status: 409,
        code: 'LEGAL_HOLD',
      });
    const { body } = await call('GET', `${ROUTE}/${hold.id}`);
    expect(body.pins).toEqual([
      { table: 'fact', rows: 4, entities: 2 },
      { table: 'fact_head', rows: 2, entities: 2 },
      { table: 'graph_entity', rows: 1, entities: 1 },
      { table: 'graph_entity_version', rows: 1, entities: 1 },
    ]);
    expect(body.refused.attempts).toBe(3);
    const receipts = (await receiptsOf(hold.id)).filter(({ kind }) => kind === 'hold.refused_deletion');
    // Two where a minute ended between them.
    expect(receipts.length).toBeLessThanOrEqual(2);
    expect(openReceipt(receipts[0]!.cose).payload.body).toMatchObject({
      hold_ids: [hold.id],
      entity: 'p:a',
      table: 'fact',
    });
  });

  it('of an incident is released once that is closed', async () => {
    const states = daemon.app.get(IncidentStates, { strict: false });
    const holds = daemon.app.get(LegalHoldsService, { strict: false });
    const open = new Set(['incident-1']);
    states.answerBy((id) => Promise.resolve(open.has(id)));
    const caller: DaemonCaller = {
      ...{ authType: 'dev_scopes', scopes: 'all', passport: undefined, principal: 'anonymous', tenants: 'any' },
      ...{ selectedTenant: undefined, isAdmin: true, homeTenant: 'default', agentSession: undefined },
    };
    const request = { tenant_id: 'default', reason: 'An incident', entity_prefixes: ['leak:'] };
    const { hold } = await holds.place(caller, request, 'incident-1');
    expect(hold.incident_id).toBe('incident-1');
    expect((await call('DELETE', `${ROUTE}/${hold.id}`)).body).toMatchObject({
      status: 409,
      incident_id: 'incident-1',
    });
    open.clear();
    expect((await call('DELETE', `${ROUTE}/${hold.id}`)).status).toBe(200);
  });
});

describe('without its flag', () => {
  it('the plane is not there, and holds go on pinning', async () => {
    await createTenants(daemon.database, ['flagless']);
    const here = daemon.as({ scopes: 'admin:write facts:write', tenant: 'flagless' });
    const { body } = await here('PUT', '/v1/facts', { entity: 'p:a', key: 'k', value: '1' });
    const { hold } = await place([], 'flagless');
    const without = await startDaemon({ database: daemon.database });
    try {
      expect((await without.call('GET', ROUTE)).status).toBe(404);
      expect((await without.call('POST', ROUTE, {})).status).toBe(404);
      const same = without.as({ scopes: 'facts:write', tenant: 'flagless' });
      expect((await same('DELETE', `/v1/facts/${body.fact_id}`)).body).toMatchObject({
        status: 409,
        hold_ids: [hold.id],
      });
    } finally {
      await without.close();
    }
  });
});

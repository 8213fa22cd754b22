import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { CANDIDATES, extract, promote } from '../candidates/given.js';
import { givenFact, openIncident, walk } from './given.js';

/** Cases that agents learnt from a bad source go with it. */
let daemon: TestDaemon;
let call: DaemonCall;
let other: DaemonCall;
let incident: string;
beforeAll(async () => {
  const env = { SVCD_FEATURE_INCIDENTS: '1', SVC_MEMORY_IMPORT: '1', SVCD_AUTO_CAPTURE: '1' };
  daemon = await startDaemon({ env, tenants: ['here', 'other'] });
  [call, other] = ['here', 'other'].map((tenant) => daemon.as({ scopes: ALL_SCOPES, tenant })) as [
    DaemonCall,
    DaemonCall,
  ];
  incident = await openIncident(call, 'here');
});
afterAll(() => daemon.close());

const TASK = 'Deploy the shop to the quokka cluster';
async function givenCase(action: string, source_receipt?: string, by = call): Promise<any> {
  const outcome = 'Live after two minutes';
  const { status, body } = await by('POST', '/v1/cases', { task: TASK, action, outcome, source_receipt });
  expect([status < 300, body.detail]).toEqual([true, undefined]);
  return body.case;
}
const found = async (by = call): Promise<[string, number][]> =>
  (await by('POST', '/v1/cases/retrieve', { task: TASK, top_k: 50 })).body.cases.map((one: any) => [
    one.action,
    one.score,
  ]);
const listed = async (): Promise<string[]> =>
  (await call('GET', '/v1/cases?limit=200')).body.cases.map((one: any) => one.case_id);
const stateRoot = async (): Promise<string> => (await call('GET', `${incident}/blast-radius`)).body.state_root.now;

describe('a case that rests on a bad source', () => {
  it('is reached, set aside for every reader, and comes back as it was', async () => {
    const poisoned = await givenFact(call, 'poisoned');
    const bad = await givenCase('Ran it as root', poisoned.receipt_id);
    const good = await givenCase('Ran it with --canary');
    await givenCase('Ran it elsewhere', poisoned.receipt_id, other);
    await walk(call, incident, { kind: 'fact', id: poisoned.fact_id });
    const [before, foundBefore, listedBefore] = [await stateRoot(), await found(), await listed()];
    expect(foundBefore.map(([action]) => action).sort()).toEqual(['Ran it as root', 'Ran it with --canary']);

    const applied = await walk(call, incident, { kind: 'fact', id: poisoned.fact_id, apply: true });
    expect(applied.nodes).toContainEqual({
      ...{ kind: 'case', id: bad.case_id, depth: 2, set_aside: true },
      via: { kind: 'receipt', id: poisoned.receipt_id, edge: 'source_of' },
    });
    expect(applied.state_root).toMatchObject({ before, after: applied.state_root.now });
    expect((await found()).map(([action]) => action)).toEqual(['Ran it with --canary']);
    expect(await listed()).toEqual([good.case_id]);
    const exported = await call('POST', '/v1/memory/export', { tenant_id: 'here' });
    expect([exported.status, exported.text.includes(bad.case_id)]).toEqual([200, false]);
    const read = await call('GET', `/v1/cases/${bad.case_id}`);
    expect(read.body.case).toEqual({ ...bad, quarantined: true });
    const deleted = await call('DELETE', `/v1/cases/${bad.case_id}`);
    expect([deleted.status, deleted.body.code]).toEqual([409, 'CASE_QUARANTINED']);
    expect((await found(other)).map(([action]) => action)).toEqual(['Ran it elsewhere']);

    const undone = await walk(call, incident, { undo: true });
    expect(undone.state_root.now).toBe(before);
    expect([await found(), await listed()]).toEqual([foundBefore, listedBefore]);
    expect((await call('GET', `/v1/cases/${bad.case_id}`)).body.case).toEqual(bad);
  });

  it('is where a walk can begin, in its own tenant alone', async () => {
    const bad = await givenCase('Ran it twice');
    const theirs = await openIncident(other, 'other');
    const refused = await other('POST', `${theirs}/blast-radius`, { kind: 'case', id: bad.case_id, apply: true });
    expect([refused.status, await found()]).toEqual([
      404,
      expect.arrayContaining([['Ran it twice', expect.any(Number)]]),
    ]);
    const onCase = await givenFact(call, 'said by the case', { source_receipt: bad.receipt_id });
    const { radius, nodes } = await walk(call, incident, { kind: 'case', id: bad.case_id, apply: true });
    expect(nodes.filter((node: any) => node.set_aside).map(({ kind, id }: any) => [kind, id])).toEqual([
      ['case', bad.case_id],
      ['fact', onCase.fact_id],
    ]);
    const receipts = await daemon.database.query<{ kind: string }>(
      `select kind from receipt where kind = 'incident.quarantined' and subject = '${radius.incident_id}'`,
    );
    expect(receipts.length).toBeGreaterThan(0);
    await walk(call, incident, { undo: true, radius_id: radius.radius_id });
  });
});

describe('a candidate of a bad text', () => {
  it('is reached from its extraction, with the fact that it became; undoing it stores nothing that is aside', async () => {
    const old = (await call('PUT', '/v1/facts', { entity: 'user', key: 'name', value: 'Mallory' })).body;
    const { candidates, receipt_id: extraction } = await extract(call, 'My name is Grace.');
    const [{ candidate_id: id }] = candidates;
    const promoted = await promote(call, id, { supersedes: old.fact_id, reviewer: 'Ann' });
    expect(promoted).toMatchObject({ status: 'promoted', promoted_fact_id: expect.any(String) });

    const { nodes } = await walk(call, incident, { kind: 'receipt', id: extraction });
    expect(nodes.map(({ kind, id: name }: any) => [kind, name])).toEqual(
      expect.arrayContaining([
        ['candidate', id],
        ['fact', promoted.promoted_fact_id],
      ]),
    );
    const { radius } = await walk(call, incident, { kind: 'fact', id: old.fact_id, apply: true });
    expect((await call('POST', `${CANDIDATES}/${id}/undo`, { reason: 'wrong' })).status).toBe(200);
    expect((await call('GET', '/v1/facts?entity=user')).body.facts).toEqual([]);
    await walk(call, incident, { undo: true, radius_id: radius.radius_id });
  });
});

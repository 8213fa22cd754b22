import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { givenDocument, retrieve } from '../citations/given.js';
import { write } from '../continuity/given.js';
import { givenAnswer, prove } from '../proofs/given.js';
import { alertsOf, watch } from '../watches/given.js';
import { allOf, foundBy, givenFact, openIncident, reachable, walk } from './given.js';

/** What the api records rests on documents; the daemon walks, sets aside and brings back. */
let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let call: DaemonCall;
let incident: string;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database, env: { SVCD_FEATURE_INCIDENTS: '1' } });
  acme = api.tenant;
  call = daemon.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
  incident = await openIncident(call, acme.tenantId);
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

let cases = 0;
const TEXT = 'Numbats eat only termites, twenty thousand a day.';
/** A document in a corpus of its own, and its only passage. */
async function givenSource() {
  const corpusId = `corpus-${++cases}`;
  await givenDocument(acme, { text: TEXT, corpusId, docId: 'numbat' });
  await givenDocument(acme, { text: `${TEXT} Or so they say.`, corpusId, docId: 'other' });
  const found = await retrieve(acme, TEXT, { corpusIds: [corpusId], agentId: corpusId, lane: 'light' });
  const chunkId = found.find(({ docId }) => docId === 'numbat')!.chunkId;
  return { corpusId, chunkId, id: `${corpusId}/numbat`, agentId: corpusId };
}
const receiptOfAnswer = async (answerId: string): Promise<string> =>
  (await api.database.query<{ id: string }>(`select receipt_id as id from answer where answer_id = '${answerId}'`))[0]!
    .id;
const kindsOf = (nodes: readonly { kind: string }[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(nodes, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]).sort());
const stateRoot = async (): Promise<string> => (await call('GET', `${incident}/blast-radius`)).body.state_root.now;
const listedFacts = async (more = ''): Promise<string[]> =>
  (await allOf(call, `/v1/facts/list?include_superseded=true${more}`, 'facts')).map(({ fact_id }) => fact_id);
const validityOf = (answerId: string) =>
  call('GET', `/v1/replay/answers/${answerId}/validity?tenant_id=${acme.tenantId}`);

describe('a walk', () => {
  it('reaches everything that rests on a document, and nothing else', async () => {
    const { corpusId, chunkId, id, agentId } = await givenSource();
    const answerId = await givenAnswer(acme, [chunkId], { agentId: `${agentId}-writer` });
    await write(acme, agentId, { pins: [{ chunkId }, { answerId }] });
    const watched = await watch(acme, { targetType: 'document', targetId: id, agentId });
    const proof = await prove(acme, { answerId, agentId });
    const fact = await givenFact(call, `${corpusId} said`, { source_receipt: await receiptOfAnswer(answerId) });
    const onFact = await givenFact(call, `${corpusId} follows`, { source_receipt: fact.receipt_id });
    await givenFact(call, `${corpusId} stands alone`);

    const { radius, nodes } = await walk(call, incident, { kind: 'document', id });
    expect(radius).toMatchObject({ root: { kind: 'document', id }, applied_at: null, node_count: nodes.length });
    const ids = (kind: string) => nodes.filter((node: any) => node.kind === kind).map((node: any) => node.id);
    expect({
      ...{ passage: ids('passage'), citation: ids('citation'), answer: ids('answer'), proof: ids('proof') },
      ...{ watch: ids('watch'), fact: ids('fact'), pin: ids('pin').length },
    }).toEqual({
      ...{ passage: [chunkId], citation: [`${answerId}/1/0`], answer: [`${answerId}/1`], proof: [proof.jobId] },
      ...{ watch: [watched.watchId], fact: [fact.fact_id, onFact.fact_id], pin: 2 },
    });
    expect(radius.counts).toEqual(kindsOf(nodes));
    expect(nodes.find((node: any) => node.id === onFact.fact_id)).toMatchObject({
      via: { kind: 'receipt', id: fact.receipt_id, edge: 'source_of' },
      set_aside: false,
    });
    const edges = await allOf(call, `${incident}/blast-radius/edges?radius_id=${radius.radius_id}`, 'edges', 3);
    expect(edges.length).toBe(radius.edge_count);
    expect(reachable(`document ${id}`, edges)).toEqual(new Set(nodes.map((node: any) => `${node.kind} ${node.id}`)));
  });

  it('begins at a passage, an answer, a receipt or a fact as well', async () => {
    const { corpusId, chunkId } = await givenSource();
    const answerId = await givenAnswer(acme, [chunkId], { agentId: `${corpusId}-writer` });
    const receipt = await receiptOfAnswer(answerId);
    const fact = await givenFact(call, `${corpusId} said`, { source_receipt: receipt });
    const reached = async (kind: string, id: string) => (await walk(call, incident, { kind, id })).radius.counts;
    expect(await reached('passage', chunkId)).toEqual({ passage: 1, citation: 1, answer: 1, receipt: 2, fact: 1 });
    expect(await reached('answer', answerId)).toEqual({ answer: 1, receipt: 2, fact: 1 });
    expect(await reached('receipt', receipt)).toEqual({ answer: 1, receipt: 2, fact: 1 });
    expect(await reached('receipt', fact.receipt_id)).toEqual({ receipt: 1, fact: 1 });
    expect(await reached('fact', fact.fact_id)).toEqual({ receipt: 1, fact: 1 });
  });

  it('follows the search behind an answer', async () => {
    const { corpusId, agentId, id } = await givenSource();
    await retrieve(acme, TEXT, { corpusIds: [corpusId], agentId, lane: 'verified' });
    const [other] = await retrieve(acme, 'so they say', { corpusIds: [corpusId], agentId: 'x', lane: 'light' });
    await retrieve(acme, TEXT, { corpusIds: [corpusId], agentId, lane: 'verified' });
    const answerId = await givenAnswer(acme, [other.chunkId], { agentId });
    const { radius } = await walk(call, incident, { kind: 'document', id });
    const nodes = await allOf(call, `${incident}/blast-radius?radius_id=${radius.radius_id}&kind=answer`, 'nodes');
    expect(nodes).toMatchObject([{ id: `${answerId}/1`, via: { kind: 'retrieval', edge: 'answered_by' } }]);
  });

  it('is read again as it was found, a page at a time', async () => {
    const { chunkId, id } = await givenSource();
    await givenAnswer(acme, [chunkId]);
    const { radius, nodes } = await walk(call, incident, { kind: 'document', id });
    const path = `${incident}/blast-radius?radius_id=${radius.radius_id}`;
    expect(await allOf(call, path, 'nodes', 2)).toEqual(nodes);
    expect((await call('GET', `${incident}/blast-radius`)).body.radius).toEqual(radius);
    expect((await call('GET', incident)).body.radius_id).toBe(radius.radius_id);
  });

  it.each<[string, object, number, string]>([
    ['what is not there', { kind: 'document', id: 'no/where' }, 404, 'document'],
    ['a name without a kind', { id: 'x' }, 400, 'kind'],
    ['a kind without a name', { kind: 'fact' }, 400, 'id'],
    ['a kind that is none', { kind: 'rumour', id: 'x' }, 400, 'kind'],
    ['both ways at once', { kind: 'fact', id: 'x', apply: true, undo: true }, 400, 'undo'],
    ['an undo of something else', { kind: 'fact', id: 'x', undo: true }, 400, 'radius_id'],
    ['a walk of another id', { radius_id: '0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11' }, 400, 'radius_id'],
    ['a fact by what is no UUID', { kind: 'fact', id: "'; drop table fact" }, 404, 'fact'],
    ['an undo of what never was', { undo: true, radius_id: '0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11' }, 404, 'radius'],
  ])('refuses %s', async (_what, request, status, member) => {
    const answer = await call('POST', `${incident}/blast-radius`, request);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(member)]);
  });
});

describe('a quarantine', () => {
  it('takes documents and facts out of every search and list, and brings them back as they were', async () => {
    const { corpusId, chunkId, id, agentId } = await givenSource();
    const answerId = await givenAnswer(acme, [chunkId], { agentId: `${agentId}-writer` });
    const watched = await watch(acme, { targetType: 'document', targetId: id, agentId });
    const source_receipt = await receiptOfAnswer(answerId);
    const fact = await givenFact(call, `${corpusId} said`, { source_receipt, value: 'quokkas quarrel' });
    const before = await stateRoot();
    const factsBefore = await listedFacts();
    const searched = async () =>
      (await call('GET', '/v1/facts?query=quokkas+quarrel')).body.facts.map((f: any) => f.fact_id);
    expect(await searched()).toEqual([fact.fact_id]);
    const foundBefore = await foundBy(acme, TEXT, corpusId);

    const applied = await walk(call, incident, { kind: 'document', id, apply: true });
    expect(applied.radius.applied_at).not.toBe(null);
    expect(applied.state_root).toMatchObject({ before, after: applied.state_root.now });
    expect(applied.state_root.now).not.toBe(before);
    expect(kindsOf(applied.nodes.filter((node: any) => node.set_aside))).toEqual({ document: 1, fact: 1 });

    expect(await foundBy(acme, TEXT, corpusId)).toEqual(['other']);
    const listed = await acme.call('GET', `/v1/documents?corpusId=${corpusId}`);
    expect(listed.body.documents.map(({ docId }: any) => docId)).toEqual(['other']);
    expect((await acme.call('GET', `/v1/documents/${id}`)).body).toMatchObject({ quarantined: true, content: TEXT });
    expect(await searched()).toEqual([]);
    expect(await listedFacts()).toEqual(factsBefore.filter((one) => one !== fact.fact_id));
    expect(await listedFacts(`&as_of_unix_ms=${Date.now()}`)).not.toContain(fact.fact_id);
    const asOf = `as_of=${encodeURIComponent(new Date().toISOString())}`;
    expect((await call('GET', `/v1/facts?entity=notes&${asOf}&top_k=1000`)).text).not.toContain(fact.fact_id);
    expect((await call('GET', '/v1/facts/entity/notes')).text).not.toContain(fact.fact_id);
    expect((await call('GET', '/v1/facts/export')).text).not.toContain(fact.fact_id);
    const byId = await call('GET', `/v1/facts/${fact.fact_id}`);
    expect(byId.body).toMatchObject({ fact_id: fact.fact_id, quarantined: true, value: 'quokkas quarrel' });
    expect((await validityOf(answerId)).body).toMatchObject({
      ...{ overall: 'unavailable', stale: true, drift_categories: ['quarantined'] },
    });
    expect(await prove(acme, { answerId, agentId, mode: 'verified' })).toMatchObject({
      ...{ verdict: 'unavailable', driftCategories: ['quarantined'] },
    });
    expect(await prove(acme, { artefact_id: chunkId, agentId })).toMatchObject({ verdict: 'unavailable' });
    await expect.poll(() => alertsOf(acme, watched), { timeout: 15_000 }).toMatchObject([{ change: 'deleted' }]);

    const undone = await walk(call, incident, { undo: true, radius_id: applied.radius.radius_id });
    expect(undone.radius.undone_at).not.toBe(null);
    expect(undone.state_root.now).toBe(before);
    expect(await foundBy(acme, TEXT, corpusId)).toEqual(foundBefore);
    expect(await searched()).toEqual([fact.fact_id]);
    expect(await listedFacts()).toEqual(factsBefore);
    expect((await call('GET', `/v1/facts/${fact.fact_id}`)).body).toEqual(fact);
    expect((await validityOf(answerId)).body).toMatchObject({ overall: 'holds', stale: false });
    expect((await acme.call('GET', `/v1/documents/${id}`)).body.quarantined).toBe(undefined);
    const again = await call('POST', `${incident}/blast-radius`, { undo: true, radius_id: applied.radius.radius_id });
    expect(again.status).toBe(409);
  });

  it('of a passage sets its document aside', async () => {
    const { corpusId, chunkId, id } = await givenSource();
    const { nodes, radius } = await walk(call, incident, { kind: 'passage', id: chunkId, apply: true });
    expect(nodes).toContainEqual(expect.objectContaining({ kind: 'document', id, depth: null, set_aside: true }));
    expect(radius.counts.document).toBe(undefined);
    expect(await foundBy(acme, TEXT, corpusId)).toEqual(['other']);
    await walk(call, incident, { undo: true });
    expect((await foundBy(acme, TEXT, corpusId)).sort()).toEqual(['numbat', 'other']);
  });

  it('is of a version: a text that is accepted later is found, and stays when it is undone', async () => {
    const { corpusId, id } = await givenSource();
    await walk(call, incident, { kind: 'document', id, apply: true });
    await givenDocument(acme, { text: TEXT, corpusId, docId: 'numbat' });
    expect(await foundBy(acme, TEXT, corpusId)).toEqual(['other']);
    await givenDocument(acme, { text: `${TEXT} We counted.`, corpusId, docId: 'numbat' });
    expect((await foundBy(acme, 'counted', corpusId))[0]).toBe('numbat');
    await walk(call, incident, { undo: true });
    const { body } = await acme.call('GET', `/v1/documents/${id}`);
    expect(body).toMatchObject({ version: 2, content: `${TEXT} We counted.` });
    expect((await foundBy(acme, TEXT, corpusId)).sort()).toEqual(['numbat', 'other']);
  });

  it('does not bring back what was deleted meanwhile', async () => {
    const { corpusId, id } = await givenSource();
    await walk(call, incident, { kind: 'document', id, apply: true });
    expect((await acme.call('DELETE', `/v1/documents/${id}`)).status).toBe(200);
    await walk(call, incident, { undo: true });
    expect(await foundBy(acme, TEXT, corpusId)).toEqual(['other']);
  });

  it('ends for what several walks have set aside with the last of them', async () => {
    const { corpusId, chunkId, id } = await givenSource();
    const answerId = await givenAnswer(acme, [chunkId], { agentId: `${corpusId}-writer` });
    const fact = await givenFact(call, `${corpusId} said`, { source_receipt: await receiptOfAnswer(answerId) });
    const before = await stateRoot();
    const first = await walk(call, incident, { kind: 'document', id, apply: true });
    const second = await walk(call, incident, { kind: 'answer', id: answerId, apply: true });
    await walk(call, incident, { undo: true, radius_id: first.radius.radius_id });
    expect((await foundBy(acme, TEXT, corpusId)).sort()).toEqual(['numbat', 'other']);
    expect((await call('GET', `/v1/facts/${fact.fact_id}`)).body.quarantined).toBe(true);
    const { state_root } = await walk(call, incident, { undo: true, radius_id: second.radius.radius_id });
    expect(state_root.now).toBe(before);
  });

  it('is not applied under an incident that is closed, and may be undone then', async () => {
    const { id } = await givenSource();
    const other = await openIncident(call, acme.tenantId);
    await walk(call, other, { kind: 'document', id, apply: true });
    await call('PATCH', other, { status: 'closed' });
    const { status, body } = await call('POST', `${other}/blast-radius`, { kind: 'document', id, apply: true });
    expect([status, body.code]).toEqual([409, expect.any(String)]);
    await walk(call, other, { undo: true });
  });

  it('leaves events and receipts', async () => {
    const { id } = await givenSource();
    const other = await openIncident(call, acme.tenantId);
    const { radius } = await walk(call, other, { kind: 'document', id, apply: true });
    await walk(call, other, { undo: true });
    const subject = other.split('/').at(-1)!;
    const of = (table: string, order: string) =>
      api.database.query<{ kind: string }>(`select kind from ${table} where subject = '${subject}' order by ${order}`);
    const kinds = ['opened', 'radius_walked', 'quarantined', 'quarantine_undone'].map((kind) => `incident.${kind}`);
    expect((await of('outbox_event', 'transaction, position')).map(({ kind }) => kind)).toEqual(kinds);
    expect((await of('receipt', 'seq')).map(({ kind }) => kind)).toEqual(kinds);
    // The feed waits for transactions of the whole server, those of other tests too.
    const fed = async () =>
      (await acme.call('GET', '/v1/events?kind=incident.*&limit=200')).body.events.map(({ type, data }: any) => [
        ...[type, data.radiusId],
      ]);
    await expect.poll(fed, { timeout: 15_000 }).toContainEqual(['incident.quarantined', radius.radius_id]);
  });
});

describe('a fact in quarantine', () => {
  const put = (key: string, value: string) => givenFact(call, key, { value });
  const current = async (key: string) =>
    (await call('GET', `/v1/facts/entity/notes`)).body.facts
      .filter((fact: any) => fact.key === key)
      .map((fact: any) => fact.value);
  const aside = (fact: any) => walk(call, incident, { kind: 'fact', id: fact.fact_id, apply: true });

  it('does not let the value of before come back as the current one', async () => {
    await put('boss', 'Ann');
    const poisoned = await put('boss', 'Mallory');
    const before = await stateRoot();
    await aside(poisoned);
    expect(await current('boss')).toEqual([]);
    const { state_root } = await walk(call, incident, { undo: true });
    expect([await current('boss'), state_root.now]).toEqual([['Mallory'], before]);
  });

  it('may be corrected meanwhile: what is stored later stays the current one', async () => {
    await put('site', 'Perth');
    const poisoned = await put('site', 'Nowhere');
    await aside(poisoned);
    const corrected = await put('site', 'Albany');
    expect([corrected.version, await current('site')]).toEqual([3, ['Albany']]);
    await walk(call, incident, { undo: true });
    expect(await current('site')).toEqual(['Albany']);
    const { body } = await call('GET', `/v1/facts/${poisoned.fact_id}`);
    expect(body.superseded_by).toBe(corrected.fact_id);
  });

  it('that is an earlier version leaves the later one as it is', async () => {
    const poisoned = await put('tea', 'salt');
    await put('tea', 'sugar');
    await aside(poisoned);
    expect([await current('tea'), (await listedFacts()).includes(poisoned.fact_id)]).toEqual([['sugar'], false]);
    await walk(call, incident, { undo: true });
    expect((await listedFacts()).includes(poisoned.fact_id)).toBe(true);
  });

  it('is not deleted, and comes back deleted where a later one was', async () => {
    const poisoned = await put('gone', 'x');
    await aside(poisoned);
    const refused = await call('DELETE', `/v1/facts/${poisoned.fact_id}`);
    expect([refused.status, refused.body.fact_id]).toEqual([409, poisoned.fact_id]);
    const later = await put('gone', 'y');
    expect((await call('DELETE', `/v1/facts/${later.fact_id}`)).status).toBe(200);
    await walk(call, incident, { undo: true });
    expect((await call('GET', `/v1/facts/${poisoned.fact_id}`)).status).toBe(404);
    expect(await current('gone')).toEqual([]);
  });

  it('leaves totals and evidence as the probes want them', async () => {
    await put('probe', '1');
    const poisoned = await put('probe', '2');
    await aside(poisoned);
    await put('probe', '3');
    const looked = await daemon.call('GET', '/readyz');
    expect(looked.body).not.toMatchObject({ status: 'failed' });
    const { body } = await call('GET', '/v1/facts/list?limit=1');
    expect(body.total_visible).toBe((await allOf(call, '/v1/facts/list', 'facts')).length);
    await walk(call, incident, { undo: true });
    const after = await call('GET', '/v1/facts/list?limit=1&include_superseded=true');
    expect(after.body.total_visible).toBe((await listedFacts()).length);
  });
});

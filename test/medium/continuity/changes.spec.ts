import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { keyOn } from '../../kit/tenant-fixture.js';
import { givenAnswer, prove } from '../proofs/given.js';
import { given, passage, sections, watch } from '../watches/given.js';
import { read, walk } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

const soon = { timeout: 15_000 };
const changes = async (agentId: string, query = ''): Promise<any[]> =>
  (await read(acme, agentId, `changes${query}`)).body.changes;
/** Waits until so many are there; newest first. */
async function changed(agentId: string, count: number): Promise<any[]> {
  await expect.poll(async () => (await changes(agentId)).length, soon).toBe(count);
  return changes(agentId);
}

describe('what has changed for an agent', () => {
  it('has the alerts of all its watches, with the texts before and now', async () => {
    await given(acme, 'hours', sections('Gates close at nine.', 'Dogs stay outside.'));
    const gates = await passage(acme, 'gates close');
    const answerId = await givenAnswer(acme, [gates], { agentId: 'porter' });
    const onAnswer = await watch(acme, {
      agentId: 'porter',
      targetType: 'answer',
      targetId: answerId,
      note: 'Ask Ann',
    });
    const onDocument = await watch(acme, { agentId: 'porter', targetType: 'document', targetId: 'handbook/hours' });
    expect(await changes('porter')).toEqual([]);
    await given(acme, 'hours', sections('Gates close at ten.', 'Dogs stay outside.'));
    const found = (await changed('porter', 2)).map(({ alert }) => alert);
    const [ofAnswer, ofDocument] = [onAnswer, onDocument].map(({ watchId }) =>
      found.find((alert) => alert.watchId === watchId),
    );
    const now = await passage(acme, 'gates close');
    const text = {
      ...{ chunkId: gates, newChunkId: now, corpusId: 'handbook', docId: 'hours', title: 'About hours' },
      ...{ url: 'https://example.com/hours', oldText: expect.stringContaining('at nine.') },
      newText: expect.stringContaining('at ten.'),
    };
    expect(ofAnswer).toMatchObject({ change: 'drifted', note: 'Ask Ann', targetId: answerId, texts: [text] });
    expect(ofDocument).toMatchObject({ change: 'new_version', note: null, from: 1, to: 2, texts: [text] });
  });

  it('has no text of what was deleted, and the new one alone of a new match', async () => {
    await given(acme, 'old', 'Newts swim in the pond.');
    await watch(acme, { agentId: 'warden', targetType: 'document', targetId: 'handbook/old' });
    await watch(acme, { agentId: 'warden', targetType: 'query', query: { query: 'otters' } });
    await given(acme, 'new', 'Otters swim in the river.');
    await changed('warden', 1);
    await acme.call('DELETE', '/v1/documents/handbook/old');
    const [deleted, match] = await changed('warden', 2);
    expect([deleted.alert.change, deleted.alert.texts]).toEqual(['deleted', []]);
    expect([match.alert.change, match.alert.texts]).toEqual([
      'new_match',
      [expect.objectContaining({ chunkId: null, oldText: null, newText: 'Otters swim in the river.' })],
    ]);
  });

  it('has proofs that ended and answers that were replaced; an alert by a proof shows what did not hold', async () => {
    await given(acme, 'tea', 'Tea is served at four.');
    const chunkId = await passage(acme, 'tea served');
    const answerId = await givenAnswer(acme, [chunkId], { agentId: 'host' });
    await givenAnswer(acme, [chunkId], { agentId: 'host', answerId });
    await given(acme, 'tea', 'Tea is served at five.');
    await watch(acme, { agentId: 'host', targetType: 'answer', targetId: answerId });
    const job = await prove(acme, { answerId, agentId: 'host' });
    const found = await changed('host', 3);
    const [alert, proof, answer] = ['alert', 'proof', 'answer'].map((type) => found.find((one) => one.type === type));
    expect(answer.answer).toMatchObject({ answerId, version: 2, retiredVersion: 1 });
    expect(proof.proof).toEqual({
      ...{ jobId: job.jobId, status: 'completed', verdict: 'drifted', mode: 'light', receiptId: job.receiptId },
      subject: { type: 'answer', id: answerId, version: 2 },
    });
    expect(alert.alert).toMatchObject({
      proofJobId: job.jobId,
      texts: [{ chunkId, oldText: 'Tea is served at four.', newText: 'Tea is served at five.' }],
    });
    expect([alert.answer, alert.proof, proof.alert, answer.alert]).toEqual([null, null, null, null]);

    const paged = await walk(acme, '/v1/home/host/changes', 'changes', 1);
    expect(paged).toEqual(found);
    const later = encodeURIComponent(new Date(Date.parse(proof.at) + 60_000).toISOString());
    expect(await changes('host', `?since=${later}`)).toEqual([]);
    expect(await changes('host', `?since=${encodeURIComponent(answer.at)}`)).toHaveLength(3);
  });

  it('of another tenant is not what another tenant shares no more, nor of anybody else', async () => {
    const publisher = await api.addTenant('publisher');
    const share = (content: string) =>
      given(publisher, 'tides', content, { corpusId: 'open', shareability: 'public_safe' });
    await share('Tides turn at six.');
    const tide = await passage(acme, 'tides turn');
    await watch(acme, { agentId: 'sailor', targetType: 'artifact', targetId: tide });
    await share('Tides turn at seven.');
    const [{ alert }] = await changed('sailor', 1);
    expect(alert).toMatchObject({ change: 'drifted', texts: [{ chunkId: tide, oldText: null, newText: null }] });
    const theirs = await read(publisher, 'sailor', 'changes');
    expect([theirs.status, theirs.body]).toEqual([200, { changes: [], next_cursor: null }]);
  });

  it('is without alerts while watches are off, and names the parameter that is faulty', async () => {
    const gated = await startApi({ database: api.database, env: { FEATURE_WATCHES: '0' } });
    const { body } = await keyOn(gated.url, acme)('GET', '/v1/home/host/changes');
    expect(body.changes.map(({ type }: any) => type)).toEqual(['proof', 'answer']);
    await gated.close();
    for (const [query, path] of [
      ['since=yesterday', 'query.since'],
      ['limit=51', 'query.limit'],
      ['cursor=x', 'query.cursor'],
    ] as const) {
      const { status, body: problem } = await read(acme, 'host', `changes?${query}`);
      expect([query, status, problem.issues?.[0].path]).toEqual([query, 400, path]);
    }
  });
});

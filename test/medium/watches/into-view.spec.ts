import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantsService as OperatorTenants } from '../../../src/modules/access/tenants/tenants.service.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenCredits } from '../economy/given.js';
import { alertsOf, changesOf, cite, given, passage, watch } from './given.js';

let api: TestApi;
let publisher: TestTenant;
let reader: TestTenant;
beforeAll(async () => {
  api = await startApi();
  publisher = await api.addTenant('publisher');
  reader = await api.addTenant('reader');
  await givenCredits(api, 'reader', 'a', 1000);
});
afterAll(() => api.close());

const soon = { timeout: 15_000 };
const share = (docId: string, text: string, shareability: string, corpusId = 'open') =>
  given(publisher, docId, text, { corpusId, shareability });
const ask = (query: string) => watch(reader, { targetType: 'query', query: { query } });
const matchesOf = async (made: { watchId: string }) =>
  (await alertsOf(reader, made)).map(({ change, docId, passages }) => [
    change,
    docId,
    passages.map((one: any) => one.docId),
  ]);

async function buyCorpus(corpusId: string): Promise<void> {
  const offer = { title: corpusId, description: `All of ${corpusId}.`, corpora: [corpusId], priceCredits: 5 };
  const bundle = await publisher.call('POST', '/v1/bundles', offer);
  const bought = await reader.call('POST', '/v1/bundles/purchase', { agentId: 'a', bundleId: bundle.body.bundleId });
  expect([bundle.status, bought.status]).toEqual([201, 201]);
}

describe('a watched query', () => {
  it('reports text that was there before once it is shared with everyone, and not again', async () => {
    await share('tides', 'Spring tides follow the full moon.', 'owner_only');
    const made = await ask('spring tides');
    await share('tides', 'Spring tides follow the full moon.', 'public_safe');
    await expect.poll(() => matchesOf(made), soon).toEqual([['new_match', 'tides', ['tides']]]);
    await share('tides', 'Spring tides follow the full moon.', 'entitled_only');
    await share('tides', 'Spring tides follow the full moon.', 'public_safe');
    await share('neaps', 'Neap tides follow the half moon, spring tides the full one.', 'public_safe');
    await expect
      .poll(() => matchesOf(made), soon)
      .toEqual([
        ['new_match', 'tides', ['tides']],
        ['new_match', 'neaps', ['neaps']],
      ]);
  });

  it('reports what a purchase brings into view, in one alert', async () => {
    await share('tax-1', 'Excise on cider is ninepence.', 'entitled_only', 'duties');
    await share('tax-2', 'Excise on cider is paid monthly.', 'entitled_only', 'duties');
    const made = await ask('excise cider');
    const elsewhere = await watch(reader, {
      targetType: 'query',
      query: { query: 'excise cider', corpusIds: ['other'] },
    });
    await buyCorpus('duties');
    await expect.poll(() => changesOf(reader, made), soon).toEqual(['new_match']);
    const [alert] = await alertsOf(reader, made);
    expect(alert.passages.map(({ docId }: any) => docId).sort()).toEqual(['tax-1', 'tax-2']);
    expect(await changesOf(reader, elsewhere)).toEqual([]);
  });
});

describe('the end of an entitlement', () => {
  it('is reported to watches on documents and answers of its corpus, as unavailable', async () => {
    await share('law-1', 'Bail is set by the magistrate.', 'entitled_only', 'law');
    await share('law-2', 'Appeals go to the assizes.', 'entitled_only', 'law');
    await buyCorpus('law');
    await cite(reader, 'bail', [await passage(reader, 'bail magistrate'), await passage(reader, 'appeals assizes')]);
    const document = await watch(reader, { targetType: 'document', targetId: 'law/law-1' });
    const answer = await watch(reader, { targetType: 'answer', targetId: 'bail' });
    await api.database.query(`delete from entitlement where tenant_id = 'reader' and corpus_id = 'law'`);
    const statesOf = async (made: { watchId: string }) =>
      (await alertsOf(reader, made)).map(({ change, state, docId }) => [change, state, docId]);
    await expect.poll(() => statesOf(document), soon).toEqual([['deleted', 'unavailable', 'law-1']]);
    await expect
      .poll(() => statesOf(answer), soon)
      .toEqual([
        ['deleted', 'unavailable', 'law-1'],
        ['deleted', 'unavailable', 'law-2'],
      ]);
  });
});

describe('the deletion of the tenant that shared', () => {
  it('is reported to watches on its documents, as unavailable', async () => {
    const leaving = await api.addTenant('leaving');
    await given(leaving, 'ferry', 'The ferry sails at noon.', { corpusId: 'port', shareability: 'public_safe' });
    const made = await watch(reader, { targetType: 'document', targetId: 'port/ferry' });
    await api.app.get(OperatorTenants).delete('leaving', null);
    await expect
      .poll(async () => (await alertsOf(reader, made)).map(({ change, state }) => [change, state]), soon)
      .toEqual([['deleted', 'unavailable']]);
  });
});

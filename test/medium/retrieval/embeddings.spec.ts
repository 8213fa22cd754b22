import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { type EmbeddingsServer, startEmbeddings } from '../../kit/embeddings.js';
import { found, type GivenDocument, ingest, retrieve, withdraw } from './given.js';

let endpoint: EmbeddingsServer;
let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  endpoint = await startEmbeddings();
  endpoint.faults.push(503, 429);
  const env = {
    SVC_EMBEDDINGS_URL: endpoint.url,
    SVC_EMBEDDINGS_MODEL: 'words-5',
    SVC_EMBEDDINGS_API_KEY: 'secret-of-the-endpoint',
  };
  api = await startApi({ env });
  acme = api.tenant;
  await ingest(acme, [
    { docId: 'garage', content: 'The sedan is parked behind the shop.' },
    { docId: 'harbour', content: 'A vessel lies at anchor.' },
    { docId: 'clinic', content: 'The surgeon operates at noon.' },
    { docId: 'word', content: 'The word automobile has ten letters.' },
  ]);
  await embedded(4);
});
afterAll(async () => {
  await api.close();
  await endpoint.close();
});

async function embedded(count: number): Promise<void> {
  for (;;) {
    const [row] = await api.database.query<{ count: number }>('select count(*)::int as count from chunk_vector');
    if (row?.count === count) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('with an embeddings endpoint', () => {
  it('passages are embedded in the background, again after an error, with key and model', () => {
    expect(endpoint.requests.length).toBeGreaterThanOrEqual(3);
    for (const { authorization, model } of endpoint.requests) {
      expect([authorization, model]).toEqual(['Bearer secret-of-the-endpoint', 'words-5']);
    }
  });

  it('meaning finds what shares no word, below the match of words, and the parts sum up', async () => {
    const { results, meta } = await retrieve(acme, 'automobile');
    expect([meta.vectorBackend, meta.exact]).toEqual(['exact', true]);
    // Words alone do not refuse what may be near in meaning.
    expect((await retrieve(acme, 'physician')).meta.fit).toBe('weak');
    expect(results.slice(0, 2).map((one: any) => one.docId)).toEqual(['word', 'garage']);
    const [byWord, byMeaning] = results;
    expect(byMeaning.scoreComponents.lexical).toBe(0);
    // Weight 0.5 of the best lexical score: what docs/retrieval.md says.
    expect(byMeaning.scoreComponents.vector).toBeCloseTo(0.5 * Math.max(1, byWord.scoreComponents.lexical), 6);
    for (const { score, scoreComponents } of results) {
      const { vector, lexical, recency, laneWeight } = scoreComponents;
      expect(score).toBe(lexical + vector + recency + laneWeight);
    }
  });

  it('light and audit still rank alike', async () => {
    const light = await retrieve(acme, 'physician on a ship', { limit: 3 });
    const audit = await retrieve(acme, 'physician on a ship', { limit: 3, lane: 'audit' });
    expect(audit.results).toEqual(light.results);
    expect(new Set(light.results.slice(0, 2).map((one: any) => one.docId))).toEqual(new Set(['clinic', 'harbour']));
  });

  it('a withdrawn passage is not near to anything', async () => {
    await ingest(acme, [{ docId: 'boat', content: 'A boat.' }]);
    await embedded(5);
    expect((await found(acme, 'vessel')).slice(0, 2).sort()).toEqual(['boat', 'harbour']);
    await withdraw(acme, 'boat');
    expect(await found(acme, 'vessel')).not.toContain('boat');
    await embedded(4);
  });

  it('another tenant sees no vector of it', async () => {
    const other = await api.addTenant('other');
    expect(await found(other, 'automobile')).toEqual([]);
  });

  it('a text that the endpoint refuses keeps no other from its vector, and a query no other query', async () => {
    // It counts tokens in a way of its own.
    endpoint.manner.refuses = (text) => text.length > 40;
    const other = await api.addTenant('refused');
    await ingest(other, [
      { docId: 'long', content: `A boat. ${'It is said to be very long. '.repeat(9)}` },
      { docId: 'short', content: 'The physician is in.' },
    ]);
    const { meta } = await retrieve(acme, `an automobile, ${'and much more than that '.repeat(9)}`);
    expect(meta.vectorBackend).toBe('unavailable');
    expect((await retrieve(acme, 'an inexpensive automobile')).meta.vectorBackend).toBe('exact');
    await embedded(6);
    expect((await found(other, 'vessel'))[0]).toBe('long');
    expect((await found(other, 'surgeon'))[0]).toBe('short');
    delete endpoint.manner.refuses;
    for (const docId of ['long', 'short']) await withdraw(other, docId);
    await embedded(4);
  });

  it('a text that the endpoint fails at keeps no other from its vector either, while others are embedded', async () => {
    endpoint.manner.fails = (text) => text.length > 40;
    const other = await api.addTenant('failed');
    await ingest(other, [
      { docId: 'long', content: `A boat. ${'It is said to be very long. '.repeat(9)}` },
      { docId: 'short', content: 'The physician is in.' },
    ]);
    const { meta } = await retrieve(acme, `one automobile, ${'and still more than that '.repeat(9)}`);
    expect(meta.vectorBackend).toBe('unavailable');
    while ((await retrieve(acme, 'one affordable automobile')).meta.vectorBackend !== 'exact');
    await embedded(6);
    expect((await found(other, 'vessel'))[0]).toBe('long');
    expect((await found(other, 'surgeon'))[0]).toBe('short');
    delete endpoint.manner.fails;
    for (const docId of ['long', 'short']) await withdraw(other, docId);
    await embedded(4);
  }, 60_000);

  it('the texts go to no other address that the endpoint names', async () => {
    const other = await startEmbeddings();
    endpoint.manner.location = `${other.url}/v1/embeddings`;
    endpoint.faults.push(307);
    const { meta } = await retrieve(acme, 'a physician that nobody asked for before');
    delete endpoint.manner.location;
    await other.close();
    expect([other.requests, meta.vectorBackend]).toEqual([[], 'unavailable']);
  });

  it('words alone answer while the endpoint is down, and the answer says so', async () => {
    endpoint.faults.push(500);
    const { results, meta } = await retrieve(acme, 'anchor vessel asked for the first time');
    expect([meta.vectorBackend, results.map((one: any) => one.docId)]).toEqual(['unavailable', ['harbour']]);
  });
});

it('many passages of one tenant keep no other waiting until all of them have their vectors', async () => {
  const slow = await startEmbeddings();
  slow.manner.delayMs = 500;
  const env = { SVC_EMBEDDINGS_URL: slow.url, SVC_EMBEDDINGS_MODEL: 'words-5', SVC_EMBEDDINGS_BATCH: '1' };
  const own = await startApi({ env });
  try {
    const textOf = (docId: string): GivenDocument => ({ docId, content: `A vessel, of ${docId}.` });
    await ingest(
      own.tenant,
      Array.from({ length: 40 }, (_, n) => textOf(`many-${n}`)),
    );
    const other = await own.addTenant('few');
    await ingest(other, [textOf('one')]);
    const vectorsOf = async (tenantId: string) =>
      (await own.database.query('select from chunk_vector where tenant_id = $1', [tenantId])).length;
    await expect.poll(() => vectorsOf(other.tenantId), { timeout: 60_000 }).toBe(1);
    expect(await vectorsOf(own.tenant.tenantId)).toBeLessThan(40);
    await expect.poll(() => vectorsOf(own.tenant.tenantId), { timeout: 60_000 }).toBe(40);
  } finally {
    await own.close();
    await slow.close();
  }
}, 120_000);

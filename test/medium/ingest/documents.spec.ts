import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { whileLocked } from '../../kit/held-lock.js';
import { documentOf, ended, foundTexts, ingested } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  const documents = Array.from({ length: 12 }, (_, index) =>
    documentOf(acme, {
      docId: `doc-${String(index).padStart(2, '0')}`,
      corpusId: index % 3 === 0 ? 'third' : 'rest',
      shareability: index % 4 === 0 ? 'public_safe' : 'owner_only',
    }),
  );
  const { body } = await acme.call('POST', '/v1/ingest/batch', { documents });
  await Promise.all(body.accepted.map(({ ingestId }: { ingestId: string }) => ended(acme, ingestId)));
});
afterAll(() => api.close());

/** Every page of a list, as the ids on each. */
async function pages(path: string, member: string, id: string): Promise<string[][]> {
  const found: string[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { status, body }: Awaited<ReturnType<TestTenant['call']>> = await acme.call(
      'GET',
      path + (cursor === '' ? '' : `&cursor=${cursor}`),
    );
    expect(status).toBe(200);
    found.push(body[member].map((item: Record<string, string>) => item[id]));
    cursor = body.next_cursor;
  }
  return found;
}
const documentPages = (query: string) => pages(`/v1/documents?${query}`, 'documents', 'docId');

describe('the list of documents', () => {
  it('comes in pages that together hold every document once', async () => {
    const found = await documentPages('limit=5');
    expect(found.map((page) => page.length)).toEqual([5, 5, 2]);
    expect(found.flat().sort()).toEqual(
      Array.from({ length: 12 }, (_, index) => `doc-${String(index).padStart(2, '0')}`),
    );
  });

  it('keeps to corpus and shareability', async () => {
    expect((await documentPages('limit=2&corpusId=third')).flat().sort()).toEqual([
      'doc-00',
      'doc-03',
      'doc-06',
      'doc-09',
    ]);
    expect((await documentPages('corpusId=third&shareability=public_safe')).flat()).toEqual(['doc-00']);
    expect((await documentPages('corpusId=none')).flat()).toEqual([]);
  });

  it('follows changes from a time on', async () => {
    const since = new Date().toISOString();
    await ingested(acme, { docId: 'doc-05', corpusId: 'rest', content: 'Changed.' });
    expect((await documentPages(`updatedSince=${since}`)).flat()).toEqual(['doc-05']);
    expect((await documentPages('limit=1')).at(-1)).toEqual(['doc-05']);
  });

  it('counts the documents of each corpus', async () => {
    expect(await pages('/v1/corpora?limit=1', 'corpora', 'corpusId')).toEqual([['rest'], ['third']]);
    expect((await acme.call('GET', '/v1/corpora')).body).toEqual({
      corpora: [
        { corpusId: 'rest', language: 'english', documents: 8, createdAt: expect.any(String) },
        { corpusId: 'third', language: 'english', documents: 4, createdAt: expect.any(String) },
      ],
      next_cursor: null,
    });
  });
});

describe('the language of a corpus', () => {
  it('is set by its first document and decides how words are stemmed', async () => {
    await ingested(acme, {
      corpusId: 'deutsch',
      docId: 'haus',
      content: 'Die Häuser am Hang.',
      metadata: { language: 'german' },
    });
    await ingested(acme, { corpusId: 'deutsch', docId: 'baum', content: 'Die Bäume am Hang.' });
    const { body } = await acme.call('GET', '/v1/corpora');
    expect(body.corpora.find((corpus: { corpusId: string }) => corpus.corpusId === 'deutsch')).toMatchObject({
      language: 'german',
      documents: 2,
    });
    expect(await foundTexts(acme, 'Haus')).toEqual([['haus', 'Die Häuser am Hang.']]);
  });

  it('is not changed by a later document: 409 says what to do, and nothing is kept', async () => {
    const change = { corpusId: 'rest', docId: 'norsk', metadata: { language: 'norwegian' } };
    const { status, body } = await acme.call('POST', '/v1/ingest', documentOf(acme, change));
    expect([status, body.type, body.language, body.detail]).toEqual([
      409,
      'CorpusLanguageFixed',
      'english',
      'Corpus rest is english. Leave out metadata.language, or send documents in norwegian to another corpus',
    ]);
    expect((await acme.call('GET', '/v1/documents/rest/norsk')).status).toBe(404);
  });
});

describe('the suggestion that led to a document', () => {
  it('is shown with the document', async () => {
    const sourceSuggestionId = crypto.randomUUID();
    await ingested(acme, { docId: 'suggested', sourceSuggestionId });
    await ingested(acme, { docId: 'unasked' });
    const read = async (docId: string) => (await acme.call('GET', `/v1/documents/handbook/${docId}`)).body;
    expect((await read('suggested')).sourceSuggestionId).toBe(sourceSuggestionId);
    expect((await read('unasked')).sourceSuggestionId).toBe(null);
  });
});

describe('names', () => {
  /** 341 characters, 1,023 bytes, that do not compress. */
  const longest = Array.from({ length: 341 }, (_, index) =>
    String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
  ).join('');

  it.each(['ä/ö?&#%', ' ', '...', 'x'.repeat(512), '漢字', longest])('of any characters work: %j', async (docId) => {
    expect(await ingested(acme, { docId, corpusId: docId })).toMatchObject({ status: 'completed' });
    const path = `/v1/documents/${encodeURIComponent(docId)}/${encodeURIComponent(docId)}`;
    expect((await acme.call('GET', path)).body).toMatchObject({ corpusId: docId, docId, version: 1 });
    expect(
      (await acme.call('GET', `/v1/documents?corpusId=${encodeURIComponent(docId)}`)).body.documents,
    ).toMatchObject([{ docId }]);
  });
});

describe('a document whose indexing began earlier than that of another, and ended later', () => {
  it('comes after it in the list, so that who has read up to the other finds it', async () => {
    await ingested(acme, { docId: 'late', corpusId: 'slow' });
    const shard = `select from index_shard where tenant_id = '${acme.tenantId}' and corpus_id = 'slow' for update`;
    await whileLocked(api.database, shard, async (held) => {
      const indexing = ingested(acme, { docId: 'late', corpusId: 'slow', content: 'Changed.' });
      await held.waitForBlocked(1, 'index_shard');
      // A large one does not go with the small ones of its tenant.
      await ingested(acme, { docId: 'early', corpusId: 'quick', content: 'Tide. '.repeat(10_000) });
      const { body } = await acme.call('GET', '/v1/documents/quick/early');
      await held.commit();
      await indexing;
      expect((await documentPages('limit=50')).flat().slice(-2)).toEqual(['early', 'late']);
      expect((await documentPages(`updatedSince=${body.updatedAt as string}`)).flat()).toContain('late');
    });
  });
});

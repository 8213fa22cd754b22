import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { documentOf, ended, foundTexts, found, ingested } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

const completed = { ingestId: expect.any(String), status: 'completed', error: null };

describe('an ingested document', () => {
  it('is searchable when its ingest is completed, with what it was sent with', async () => {
    const status = await ingested(acme, { docId: 'holidays', content: '# Holidays\n\nMidsummer is a holiday.' });
    expect(status).toEqual(completed);
    const [passage] = await found(acme, 'midsummer');
    expect(passage).toMatchObject({
      docId: 'holidays',
      corpusId: 'handbook',
      tenantId: 'acme',
      title: 'About holidays',
      url: 'https://example.com/holidays',
      content: '# Holidays\n\nMidsummer is a holiday.',
      source: 'tenant',
    });
    const read = await acme.call('GET', '/v1/documents/handbook/holidays');
    expect([read.status, read.body]).toEqual([
      200,
      {
        corpusId: 'handbook',
        docId: 'holidays',
        version: 1,
        title: 'About holidays',
        url: 'https://example.com/holidays',
        shareability: 'owner_only',
        metadata: null,
        contentHash: expect.stringMatching(/^blake3:[0-9a-f]{64}$/),
        chunkCount: 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        content: '# Holidays\n\nMidsummer is a holiday.',
        sourceSuggestionId: null,
      },
    ]);
  });

  it('sent again without a change stays the same version, in search once', async () => {
    const change = { docId: 'same', content: 'The quokka smiles.', metadata: { a: 1, b: 2 } };
    expect(await ingested(acme, change)).toEqual(completed);
    const before = await found(acme, 'quokka');
    expect(await ingested(acme, { ...change, metadata: { b: 2, a: 1 } })).toEqual(completed);
    expect(await found(acme, 'quokka')).toEqual(before);
    expect((await acme.call('GET', '/v1/documents/handbook/same')).body.version).toBe(1);
    expect(await storedChunks('same')).toEqual([[1, false]]);
  });

  it.each([
    ['content', { content: 'The numbat is diurnal and eats termites.' }],
    ['title', { title: 'Numbat' }],
    ['url', { url: 'https://example.com/elsewhere' }],
    ['shareability', { shareability: 'public_safe' }],
    ['metadata', { metadata: { reviewed: true } }],
  ])('sent with another %s is a new version that takes the place of the old one', async (what, change) => {
    const docId = `new-${what}`;
    await ingested(acme, { docId, content: `The numbat eats termites, says ${what}.` });
    expect(await ingested(acme, { docId, content: `The numbat eats termites, says ${what}.`, ...change })).toEqual(
      completed,
    );
    const results = (await found(acme, 'numbat termites')).filter((passage) => passage.docId === docId);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject('metadata' in change || 'shareability' in change ? {} : change);
    expect((await acme.call('GET', `/v1/documents/handbook/${docId}`)).body).toMatchObject({ version: 2, ...change });
    expect(await storedChunks(docId)).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it('ends as the version accepted last, whatever the order of the work', async () => {
    const contents = Array.from({ length: 12 }, (_, index) => `Wombat burrow revision ${index}.`);
    const batches = await Promise.all(
      [0, 1, 2].map((part) =>
        acme.call('POST', '/v1/ingest/batch', {
          documents: contents
            .slice(part * 4, part * 4 + 4)
            .map((content) => documentOf(acme, { docId: 'wombat', content })),
        }),
      ),
    );
    const ids = batches.flatMap(({ body }) => body.accepted.map(({ ingestId }: { ingestId: string }) => ingestId));
    expect(await Promise.all(ids.map((id) => ended(acme, id)))).toEqual(
      ids.map((ingestId) => ({ ...completed, ingestId })),
    );
    const [last] = await api.database.query<{ content: string }>(
      `select content from document_version where doc_id = 'wombat' order by version desc limit 1`,
    );
    expect(await foundTexts(acme, 'wombat burrow')).toEqual([['wombat', last!.content]]);
    expect((await acme.call('GET', '/v1/documents/handbook/wombat')).body.version).toBe(12);
  });

  it('without readable text fails with a reason, and the version before it stays', async () => {
    await ingested(acme, { docId: 'emptied', content: 'The bilby digs.' });
    expect(await ingested(acme, { docId: 'emptied', content: ' \n\t ' })).toEqual({
      ingestId: expect.any(String),
      status: 'failed',
      error: expect.stringContaining('no readable text'),
    });
    expect(await foundTexts(acme, 'bilby')).toEqual([['emptied', 'The bilby digs.']]);
    expect((await acme.call('GET', '/v1/documents/handbook/emptied')).body.version).toBe(1);
  });
});

describe('a batch', () => {
  it('is accepted in its order, whole, and an invalid document does not hold up the others', async () => {
    const documents = [
      documentOf(acme, { docId: 'dugong-1', content: 'A dugong grazes seagrass.' }),
      documentOf(acme, { docId: 'dugong-2', content: '<!doctype html><script>1</script>' }),
      documentOf(acme, { docId: 'dugong-3', content: 'Another dugong sleeps.', corpusId: 'other' }),
      documentOf(acme, { docId: 'dugong-1', content: 'A dugong grazes seagrass, still.' }),
    ];
    const { status, body } = await acme.call('POST', '/v1/ingest/batch', { documents });
    expect(status).toBe(202);
    const ends = await Promise.all(body.accepted.map(({ ingestId }: { ingestId: string }) => ended(acme, ingestId)));
    expect(ends.map((end) => end.status)).toEqual(['completed', 'failed', 'completed', 'completed']);
    expect(ends.map((end) => end.ingestId)).toEqual(
      body.accepted.map(({ ingestId }: { ingestId: string }) => ingestId),
    );
    expect(await foundTexts(acme, 'dugong')).toEqual([
      ['dugong-1', 'A dugong grazes seagrass, still.'],
      ['dugong-3', 'Another dugong sleeps.'],
    ]);
  });

  it('with one refused document leaves nothing behind', async () => {
    const documents = [
      documentOf(acme, { docId: 'kept-out' }),
      documentOf(acme, { docId: 'bad', metadata: { language: 'klingon' } }),
    ];
    const { status, body } = await acme.call('POST', '/v1/ingest/batch', { documents });
    expect([status, body.type, body.issues]).toEqual([
      400,
      'ValidationFailed',
      [{ path: 'body.documents[1].metadata.language', message: expect.stringContaining('must be one of') }],
    ]);
    expect(await api.database.query(`select doc_id from document where doc_id in ('kept-out', 'bad')`)).toEqual([]);
  });
});

describe('a deleted document', () => {
  it('is gone from search when the answer comes, has a receipt, and can come back', async () => {
    await ingested(acme, { docId: 'thylacine', content: 'The thylacine is gone.' });
    const { status, body } = await acme.call('DELETE', '/v1/documents/handbook/thylacine');
    expect([status, body]).toEqual([200, { corpusId: 'handbook', docId: 'thylacine', receiptId: expect.any(String) }]);
    expect(await found(acme, 'thylacine')).toEqual([]);
    const gone = [
      await acme.call('GET', '/v1/documents/handbook/thylacine'),
      await acme.call('DELETE', '/v1/documents/handbook/thylacine'),
    ];
    expect(gone.map((answer) => [answer.status, answer.body.type])).toEqual([
      [404, 'DocumentUnknown'],
      [404, 'DocumentUnknown'],
    ]);
    expect(await ingested(acme, { docId: 'thylacine', content: 'The thylacine is gone.' })).toEqual(completed);
    expect(await foundTexts(acme, 'thylacine')).toEqual([['thylacine', 'The thylacine is gone.']]);
    expect((await acme.call('GET', '/v1/documents/handbook/thylacine')).body.version).toBe(2);
  });

  it('takes versions that are still queued with it', async () => {
    const accepting = await startApi({ env: { SVC_JOBS: '0' } });
    const { tenant, database } = accepting;
    const documents = ['echidna-1', 'echidna-2'].map((docId) => documentOf(tenant, { docId, content: 'An echidna.' }));
    const { body } = await tenant.call('POST', '/v1/ingest/batch', { documents });
    expect((await tenant.call('DELETE', '/v1/documents/handbook/echidna-1')).status).toBe(200);
    const working = await startApi({ database });
    const ends = await Promise.all(body.accepted.map(({ ingestId }: { ingestId: string }) => ended(tenant, ingestId)));
    expect(ends.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'The document was deleted before this version was indexed.'],
      ['completed', null],
    ]);
    expect(await foundTexts(tenant, 'echidna')).toEqual([['echidna-2', 'An echidna.']]);
    await working.close();
    await accepting.close();
  });
});

/** Version and whether it is retired, of every stored chunk of a document. */
async function storedChunks(docId: string): Promise<[number, boolean][]> {
  const rows = await api.database.query<{ version: number; retired: boolean }>(
    'select version, retired_at is not null as retired from chunk where doc_id = $1 order by version, ordinal',
    [docId],
  );
  return rows.map(({ version, retired }) => [version, retired]);
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddingService } from '../../../src/modules/knowledge/retrieval/vectors/embedding.service.js';
import { startApi, type Answer, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { startEmbeddings, type EmbeddingsServer } from '../../kit/embeddings.js';

let endpoint: EmbeddingsServer;
let daemon: TestDaemon;
let api: TestApi;
const env = () => ({ SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5' });
beforeAll(async () => {
  endpoint = await startEmbeddings();
  daemon = await startDaemon({ env: env() });
  api = await startApi({ database: daemon.database, env: env() });
});
afterAll(async () => {
  await api.close();
  await daemon.close();
  await endpoint.close();
});

const ingest = (texts: string[], members: object = {}, by: TestDaemon = daemon): Promise<Answer> =>
  by.call('POST', '/v1/local/ingest', {
    tenant_id: api.tenant.tenantId,
    corpus_id: 'cars',
    documents: texts.map((text, n) => ({ doc_id: `d${n}`, title: `Number ${n}`, text })),
    ...members,
  });
const found = async (query: string, corpusId: string): Promise<string[]> => {
  const { body } = await api.tenant.call('POST', '/v1/retrieve', { query, corpusIds: [corpusId] });
  return (body.results as { docId: string }[]).map(({ docId }) => docId);
};
const vectorsOf = (corpus: string) =>
  daemon.database.query<{ doc_id: string }>(
    `select c.doc_id from chunk c join chunk_vector v using (tenant_id, chunk_id) where c.corpus_id = $1 and c.retired_at is null order by 1`,
    [corpus],
  );

describe('local ingest with an embeddings endpoint', () => {
  it('answers when the passages are found by vectors, and says how many and of what dimension', async () => {
    const { status, body } = await ingest(['The sedan is parked.', 'A vessel lies at anchor.']);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ dense_dim: 5, dense_vectors: 2, dense_queued: 0, capability: 'hybrid' }),
    ]);
    expect((await found('automobile', 'cars'))[0]).toBe('d0');
    const asked = endpoint.requests.length;
    expect((await ingest(['The sedan is parked.', 'A vessel lies at anchor.'])).body).toMatchObject({
      ...{ code: 'UNCHANGED', dense_dim: 5, dense_vectors: 2, capability: 'hybrid' },
    });
    expect(endpoint.requests).toHaveLength(asked);
  });

  it('makes no vectors for lexical documents, then or later, until they are sent again without it', async () => {
    const members = { corpus_id: 'lexical', semantic_profile: 'lexical' };
    const asked = endpoint.requests.length;
    expect((await ingest(['The sedan is parked.'], members)).body).toMatchObject({
      ...{ dense_dim: 0, dense_vectors: 0, dense_queued: 0, capability: 'lexical' },
    });
    const [shard] = await daemon.database.query<{ shard_id: string }>(
      `select shard_id from index_shard where corpus_id = 'lexical'`,
    );
    await api.app.get(EmbeddingService).embedShard(api.tenant.tenantId, shard!.shard_id);
    expect([endpoint.requests.length, await vectorsOf('lexical')]).toEqual([asked, []]);
    expect([await found('automobile', 'lexical'), await found('sedan', 'lexical')]).toEqual([[], ['d0']]);

    const again = await ingest(['The sedan is parked.'], { ...members, semantic_profile: 'hybrid' });
    expect(again.body).toMatchObject({ ingested: 1, dense_vectors: 1, capability: 'hybrid' });
    expect(await found('automobile', 'lexical')).toEqual(['d0']);
  });

  it('says what is left to workers while the endpoint is down, and they make it', async () => {
    endpoint.faults.push(503);
    const { status, body } = await ingest(['The sedan is parked.'], { corpus_id: 'down' });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ dense_dim: 0, dense_vectors: 0, dense_queued: 1, capability: 'lexical' }),
    ]);
    expect(await found('sedan', 'down')).toEqual(['d0']);
    while ((await vectorsOf('down')).length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await found('automobile', 'down')).toEqual(['d0']);
  }, 60_000);

  it('waits for an endpoint that never answers no longer than it says, and takes others in meanwhile', async () => {
    const silent: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const patient = await startDaemon({ env: { ...env(), SVC_EMBEDDINGS_URL: url } });
    try {
      const waiting = ingest(['The sedan is parked.'], { corpus_id: 'silent' }, patient);
      let isOver = false;
      void waiting.finally(() => (isOver = true));
      const lexical = { corpus_id: 'meanwhile', semantic_profile: 'lexical' };
      expect((await ingest(['The sedan is parked.'], lexical, patient)).status).toBe(200);
      expect(isOver).toBe(false);
      const { status, body } = await waiting;
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ ingested: 1, dense_vectors: 0, dense_queued: 1, capability: 'lexical' }),
      ]);
    } finally {
      await patient.close();
      silent.closeAllConnections();
      silent.close();
    }
  }, 60_000);
});

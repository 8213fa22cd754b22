import { hkdfSync } from 'node:crypto';
import { createBLAKE3 } from 'hash-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { ingested } from './given.js';

const CONTENT = 'Wombats are marsupials, and their droppings are cubes.';

let daemon: TestDaemon;
let api: TestApi;
let other: TestTenant;
beforeAll(async () => {
  daemon = await startDaemon();
  api = await startApi({ database: daemon.database });
  other = await api.addTenant('other');
});
afterAll(async () => {
  await api.close();
  await daemon.close();
});

interface Chunk {
  chunk_id: string;
  corpus_id: string;
  doc_id: string;
  version: number;
  ordinal: number;
  hash: string;
}
const chunksOf = (tenantId: string, docId: string) =>
  daemon.database.query<Chunk>(
    `select chunk_id, corpus_id, doc_id, version, ordinal, encode(content_hash, 'hex') as hash from chunk
     where tenant_id = $1 and doc_id = $2 order by version, ordinal`,
    [tenantId, docId],
  );

/** As decision 0147 says, from the secret that the database holds. */
async function idOf(tenantId: string, { corpus_id, doc_id, version, ordinal, hash }: Chunk): Promise<string> {
  const [row] = await daemon.database.query<{ secret: Buffer }>(
    `select secret from server_secret where name = 'shared'`,
  );
  const derive = (from: Buffer, info: string) => Buffer.from(hkdfSync('sha256', from, Buffer.alloc(0), info, 32));
  const key = derive(derive(row!.secret, 'svc chunk-ids'), `svc chunk-ids ${tenantId}`);
  const keyed = (await createBLAKE3(256, key)).init();
  const digest = keyed.update(JSON.stringify([tenantId, corpus_id, doc_id, version, ordinal, hash])).digest('hex');
  return `chk_${digest.slice(0, 32)}`;
}

async function ingest(tenant: TestTenant, docId: string, content = CONTENT): Promise<void> {
  expect(await ingested(tenant, { docId, content, corpusId: 'zoo' })).toMatchObject({ status: 'completed' });
}

describe('the ids of passages', () => {
  it('are made under the key of their tenant, by every process of the database', async () => {
    await ingest(api.tenant, 'wombat');
    await ingest(other, 'wombat');
    const { tenantId } = api.tenant;
    const documents = [{ doc_id: 'heron', title: 'Heron', text: 'Herons stand in the water.' }];
    const local = await daemon.call('POST', '/v1/local/ingest', { tenant_id: tenantId, corpus_id: 'birds', documents });
    expect(local.status).toBe(200);
    const made = await Promise.all(
      [
        [tenantId, 'wombat'],
        ['other', 'wombat'],
        [tenantId, 'heron'],
      ].map(async ([tenant, docId]) => {
        const [chunk] = await chunksOf(tenant!, docId!);
        expect(chunk!.chunk_id).toBe(await idOf(tenant!, chunk!));
        return chunk!.chunk_id;
      }),
    );
    expect(new Set(made).size).toBe(3);
  });

  it('stay as they are when the document comes again as it is, also those of before there were keys', async () => {
    const { tenantId } = api.tenant;
    await ingest(api.tenant, 'koala');
    const [chunk] = await chunksOf(tenantId, 'koala');
    const before = `chk_${'5'.repeat(32)}`;
    await daemon.database.query('update chunk set chunk_id = $1 where tenant_id = $2 and chunk_id = $3', [
      ...[before, tenantId, chunk!.chunk_id],
    ]);
    await ingest(api.tenant, 'koala');
    expect(await chunksOf(tenantId, 'koala')).toEqual([{ ...chunk, chunk_id: before }]);
    await ingest(api.tenant, 'koala', `${CONTENT} So are those of koalas, it was said.`);
    const [old, now] = await chunksOf(tenantId, 'koala');
    expect([old!.chunk_id, old!.version, now!.version]).toEqual([before, 1, 2]);
    expect(now!.chunk_id).toBe(await idOf(tenantId, now!));
  });
});

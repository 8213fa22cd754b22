import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { essay, ingest, retrieve } from './given.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  await ingest(api.tenant, [{ docId: 'a', content: `A lighthouse keeper. ${essay(1)}` }]);
  // Unlike a light one it is stored when it is answered.
  await retrieve(api.tenant, 'the lighthouse keeper', { lane: 'verified' });
});
afterAll(() => api.close());

/** Segments in memory of a process that was just started and asked nothing. */
async function segmentsAtStart(): Promise<number> {
  const started = await startApi({ database: api.database });
  try {
    const metrics = await (await fetch(`${started.url}/metrics`)).text();
    return Number(/^svc_index_cache_segments (\d+)$/m.exec(metrics)![1]);
  } finally {
    await started.close();
  }
}

it('a process has the index of a tenant that asked before in memory when it starts', async () => {
  const other = await api.addTenant('never-asked');
  await ingest(other, [{ docId: 'b', content: essay(2) }]);
  expect(await segmentsAtStart()).toBe(1);
});

it('a process starts where the index is not what was written, and says so to the first query alone', async () => {
  await api.database.query(`update index_segment set digest = sha256(digest) where tenant_id = 'acme'`);
  expect(await segmentsAtStart()).toBe(0);
});

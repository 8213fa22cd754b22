import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAcme, type AcmeApi } from '../../kit/server-process.js';

const BATCHES = 6;
const DOCUMENTS = 200;
const JOBS = `pgboss.job where name like 'ingest%'`;

let acme: AcmeApi;
beforeAll(async () => {
  acme = await startAcme();
});
afterAll(() => acme.close());

it(
  'a drain in the middle of the work loses and fails nothing, and the next start goes on',
  { timeout: 90_000 },
  async () => {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const documents = Array.from({ length: DOCUMENTS }, (_, index) => ({
        tenantId: 'acme',
        corpusId: 'drain',
        docId: `${batch}-${index}`,
        title: 'Drain',
        content: `Passage ${index} of batch ${batch}.`,
        url: 'https://example.com/drain',
      }));
      expect((await acme.call('POST', '/v1/ingest/batch', { documents })).status).toBe(202);
    }
    await acme.api.stop('SIGTERM');
    const left = await acme.database.query<{ status: string }>(
      `select distinct status from ingest where status in ('processing', 'failed')`,
    );
    expect(left).toEqual([]);
    expect(await acme.database.query(`select state from ${JOBS} and state not in ('created', 'completed')`)).toEqual(
      [],
    );
    await acme.api.start();
    const states = (): Promise<object[]> =>
      acme.database.query('select status, count(*)::int as n from ingest group by 1 order by 1');
    await expect
      .poll(states, { timeout: 60_000, interval: 100 })
      .toEqual([{ status: 'completed', n: BATCHES * DOCUMENTS }]);
    expect(await acme.database.query(`select max(retry_count) as retries from ${JOBS}`)).toEqual([{ retries: 0 }]);
  },
);

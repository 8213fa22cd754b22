import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { withTemporaryServer } from '../../../src/common/client/temporary-server.js';
import { findEmbedded } from '../../../src/common/database/embedded/embedded.js';

const SETTLE_MS = 15_000;
const SECONDS = 20;
const APPS = 3;
/** Of one process with nothing to do, on average. */
const MAX_PER_SECOND = 4;

/** Of the server's own database; the look itself is in another one. */
async function countTransactions(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = 'svc'`,
  );
  return rows[0]!.count;
}

it('an idle product asks its database for at most four transactions a second for each process', async () => {
  await withTemporaryServer({ program: resolve('dist/main.js') }, async ({ dataDir }) => {
    const url = findEmbedded(dataDir, 'postgres')!;
    const client = new Client({ connectionString: url.replace('/svc?', '/postgres?') });
    await client.connect();
    try {
      await sleep(SETTLE_MS);
      const before = await countTransactions(client);
      await sleep(SECONDS * 1000);
      const count = (await countTransactions(client)) - before;
      expect(count).toBeGreaterThan(0);
      expect(count / SECONDS / APPS).toBeLessThan(MAX_PER_SECOND);
    } finally {
      await client.end();
    }
  });
});

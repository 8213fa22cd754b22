import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withConnection } from '../../../src/common/database/connection.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

// An error event that nobody hears would end this process, and fail the run.
it('rejects its work when the connection ends under it, and leaves the process alone', async () => {
  const settings = loadSettings({ NODE_ENV: 'test' });
  const ended = withConnection(
    { ownerUrl: database.url },
    'svc_operator',
    (client) => {
      const waiting = client.query('select pg_sleep(10)');
      (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      return waiting;
    },
    { settings },
  );
  await expect(ended).rejects.toThrow(/terminat/);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { startDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { LogLines } from '../daemon-ingress/log-lines.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const WARNING = 'flags are set that open nothing: not built in this version';

/** What the start log says of flags, and whether the daemon is ready. */
async function startWith(env: Record<string, string>) {
  const log = new LogLines();
  const daemon = await startDaemon({ database, env, log: log.log });
  const { status } = await send(daemon.url, 'GET', '/readyz');
  await daemon.close();
  return { status, warnings: log.called(WARNING).map(({ level, flags }) => ({ level, flags })) };
}

describe('the start log', () => {
  it('names in one line the flags that are set and open nothing; the daemon is ready all the same', async () => {
    const env = {
      // On by default, and set nevertheless.
      SVCD_INTEGRATIONS_ENABLED: '1',
      // Off is what they are, and a word that is none is off.
      SVCD_QUOTA: '0',
      SVCD_OBSERVE: '1\n',
      // Built.
      SVCD_CREDIT_METER: '1',
      SVCD_IDENTITY_LINKS: '1',
      SVCD_LOCAL_INGEST: '1',
      SVCD_PUNCHCARD: 'advisory',
      SVCD_COMPUTE_PROVIDER: '1',
    };
    const flags = ['SVCD_INTEGRATIONS_ENABLED'];
    expect(await startWith(env)).toEqual({ status: 200, warnings: [{ level: 'warn', flags }] });
  });

  it('says nothing of flags that nobody set, those that are on by default among them', async () => {
    expect(await startWith({})).toEqual({ status: 200, warnings: [] });
  });
});

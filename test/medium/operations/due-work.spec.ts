import { afterAll, beforeAll, expect, it } from 'vitest';
import { DueWork } from '../../../src/common/scheduler/due-work.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { type EvidenceApp, openEvidence } from '../evidence/evidence-app.js';

let database: TestDatabase;
let app: EvidenceApp;
let dueWork: DueWork;
beforeAll(async () => {
  database = await freshDatabase();
  app = await openEvidence(database.url, { SVC_LOG_INTERVAL_MS: '50' });
  dueWork = app.context.get(DueWork);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

/** Resolves when a look has found work of this kind so many times. */
function found(times: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = times;
  const stop = dueWork.when(
    () => 'true',
    () => {
      left -= 1;
      if (left > 0) return;
      stop();
      resolve();
    },
  );
  return promise;
}

it('finds what is due while the condition of another kind fails', async () => {
  const stop = dueWork.when(
    () => 'exists (select from no_such_table)',
    () => undefined,
  );
  await found(2);
  stop();
});

it('asks no more often than a kind wants', async () => {
  let asked = 0;
  const stop = dueWork.when(
    () => {
      asked += 1;
      return 'false';
    },
    () => undefined,
    { everyMs: 60_000 },
  );
  await found(4);
  expect(asked).toBe(1);
  stop();
});

it('names what is due, and begins nothing where nothing is', async () => {
  const begun: (readonly string[])[] = [];
  const stops = [
    dueWork.names(
      () => `select unnest('{one,two}'::text[])`,
      (names) => begun.push(names),
    ),
    dueWork.names(
      () => `select 'none' where false`,
      (names) => begun.push(names),
    ),
  ];
  await found(2);
  for (const stop of stops) stop();
  expect(new Set(begun.map((names) => names.join()))).toEqual(new Set(['one,two']));
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type EmbeddingsServer, startEmbeddings } from '../../kit/embeddings.js';
import { ServerProcess } from '../../kit/server-process.js';
import { fixtureIn } from '../facts/fixture.js';
import { factsOf, until } from './given.js';

const FACTS = 120;

let endpoint: EmbeddingsServer;
let daemon: TestDaemon;
let dataDir: string;
let api: ServerProcess | undefined;
beforeAll(async () => {
  endpoint = await startEmbeddings();
  const env = { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5' };
  daemon = await startDaemon({ env });
  dataDir = mkdtempSync(join(tmpdir(), 'svc-rebuild-'));
});
afterAll(async () => {
  await api?.stop('SIGKILL');
  await daemon.close();
  await endpoint.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const started = async (model: string): Promise<ServerProcess> => {
  const env = { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: model, SVC_EMBEDDINGS_BATCH: '10' };
  api = await ServerProcess.at(daemon.database.url, dataDir, env);
  await api.start();
  return api;
};
const counts = async (): Promise<Record<string, number>> => {
  const rows = await daemon.database.query<{ name: string; state: string; count: number }>(
    `select v.name, v.state, (select count(*)::int from memory_vector m where m.space_id = v.space_id) as count from vector_space v where v.state <> 'retired'`,
  );
  return Object.fromEntries(rows.map(({ name, state, count }) => [`${name} ${state}`, count]));
};

it('goes on after kill -9 in the middle of making all vectors again', { timeout: 180_000 }, async () => {
  const of = fixtureIn(daemon);
  const facts = Array.from({ length: FACTS }, (_, i) => ({
    ...{ entity: `e:${i}`, key: 'note' },
    value: i === 77 ? 'A vessel.' : `A surgeon, number ${i}.`,
  }));
  expect((await of.ada('PUT', '/v1/facts/bulk', facts)).status).toBe(201);
  const first = await started('words-5');
  await until(async () => (await counts())['words-5 serving'] === FACTS, 60_000);
  await first.stop('SIGKILL');

  // Slow enough that it is killed amid the work, several times.
  endpoint.manner.delayMs = 300;
  let made = 0;
  for (let kills = 0; kills < 2; kills++) {
    const running = await started('words-7');
    await until(async () => ((await counts())['words-7 building'] ?? 0) > made, 60_000);
    await running.stop('SIGKILL');
    made = (await counts())['words-7 building']!;
    expect(made).toBeLessThan(FACTS);
    expect((await factsOf(of.ada, 'a ship'))[0]).toBe('e:77');
  }
  delete endpoint.manner.delayMs;
  const before = endpoint.requests.length;
  await started('words-7');
  await until(async () => (await counts())['words-7 serving'] === FACTS, 60_000);
  expect((await factsOf(of.ada, 'a boat'))[0]).toBe('e:77');
  const again = endpoint.requests.slice(before).flatMap(({ input, model }) => (model === 'words-7' ? input : []));
  // What was committed before the kill is not asked for again: at most the batch that was under way is.
  expect(again.filter((text) => text.startsWith('e:')).length).toBeLessThanOrEqual(FACTS - made);
});

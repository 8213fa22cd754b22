import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSpaces } from '../../../src/cli/embeddings/space-status.js';
import { ensureSpace, wantedSpace } from '../../../src/common/embeddings/vector-spaces.store.js';
import { SETTINGS, type Settings } from '../../../src/common/config/settings.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type EmbeddingsServer, startEmbeddings } from '../../kit/embeddings.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { fixtureIn, type Fixture } from '../facts/fixture.js';
import { factsOf, settled, until } from './given.js';
import { ingest } from '../retrieval/given.js';

let endpoint: EmbeddingsServer;
let database: TestDatabase;
let daemon: TestDaemon;
let of: Fixture;
let api: TestApi;
const start = (model: string) =>
  startApi({
    database,
    env: { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: model, SVC_EMBEDDINGS_BATCH: '2' },
  });
const spaces = async () =>
  (await api.app.get(CrossTenant).run('test', (query) => listSpaces(query))).map(({ name, state, dimensions }) => [
    name,
    state,
    dimensions,
  ]);
beforeAll(async () => {
  endpoint = await startEmbeddings();
  database = await freshDatabase();
  api = await start('words-5');
  daemon = await startDaemon({
    database,
    env: { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5' },
  });
  of = fixtureIn(daemon);
  const facts = [
    { entity: 'garage', key: 'note', value: 'The sedan is parked.' },
    { entity: 'harbour', key: 'note', value: 'A vessel lies at anchor.' },
    { entity: 'clinic', key: 'note', value: 'The surgeon operates.' },
  ];
  expect((await of.ada('PUT', '/v1/facts/bulk', facts)).status).toBe(201);
  await ingest(api.tenant, [{ docId: 'pier', content: 'A vessel lies at the pier.' }]);
  await settled(api, of.tenant);
});
afterAll(async () => {
  await api.close();
  await daemon.close();
  await database.drop();
  await endpoint.close();
});

describe('another model', () => {
  it('is noticed at the start; what the old one made serves until the new is whole', { timeout: 120_000 }, async () => {
    expect(await spaces()).toEqual([['words-5', 'serving', 5]]);
    await api.close();
    // The new model is not there yet: nothing can be made, and the old vectors answer.
    endpoint.manner.models = ['words-5'];
    api = await start('words-7');
    await until(async () => (await spaces()).length === 2);
    expect(await spaces()).toEqual([
      ['words-5', 'serving', 5],
      ['words-7', 'building', null],
    ]);
    expect((await factsOf(of.ada, 'an automobile'))[0]).toBe('garage');
    await until(async () => {
      const [, building] = await api.app.get(CrossTenant).run('test', (query) => listSpaces(query));
      return building?.reason === 'The embeddings endpoint answered 404' && building.waiting.facts === 3;
    });
    delete endpoint.manner.models;
    await until(async () => (await spaces())[0]?.[0] === 'words-7', 60_000);
    expect(await spaces()).toEqual([['words-7', 'serving', 7]]);
    await until(async () => (await factsOf(of.ada, 'a physician'))[0] === 'clinic');
    expect(endpoint.requests.at(-1)).toMatchObject({ model: 'words-7', input: ['a physician'] });
    const rows = await database.query('select 1 from chunk_vector where model = $1', ['words-7']);
    expect(rows).toHaveLength(1);
  });

  it('or the same one again is made again when it is asked for', { timeout: 120_000 }, async () => {
    const wanted = wantedSpace(api.app.get<Settings>(SETTINGS).retrieval);
    await api.app.get(CrossTenant).run('test', (query) => ensureSpace(query, wanted, { isForced: true }));
    await until(
      async () => (await spaces())[0]?.[0] === 'words-7#3' || (await spaces())[0]?.[0] === 'words-7#2',
      60_000,
    );
    expect(await spaces()).toHaveLength(1);
    expect((await factsOf(of.ada, 'a ship'))[0]).toBe('harbour');
  });

  it('is not made twice by two processes', async () => {
    const wanted = { ...wantedSpace(api.app.get<Settings>(SETTINGS).retrieval), model: 'words-9' };
    const made = await Promise.all(
      [1, 2, 3].map(() => api.app.get(CrossTenant).run('test', (query) => ensureSpace(query, wanted, {}))),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    await until(async () => (await spaces()).some(([name]) => name === 'words-9'));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type EmbeddingsServer, startEmbeddings } from '../../kit/embeddings.js';
import { fixtureIn, type Fixture } from '../facts/fixture.js';
import { factsOf, settled, until } from './given.js';

let endpoint: EmbeddingsServer;
let api: TestApi;
let daemon: TestDaemon;
const env = () => ({
  ...{ SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5', SVC_EMBEDDINGS_ENCODING: 'base64' },
  ...{ SVC_EMBEDDINGS_QUERY_PREFIX: 'query: ', SVC_EMBEDDINGS_PASSAGE_PREFIX: 'passage: ' },
  ...{ SVC_EMBEDDINGS_BATCH: '8', SVC_EMBEDDINGS_INPUT_TOKENS: '64' },
});
beforeAll(async () => {
  endpoint = await startEmbeddings();
  api = await startApi({ env: env() });
  daemon = await startDaemon({ database: api.database, env: { ...env(), SVCD_FEATURE_LEGAL_HOLD: '1' } });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
  await endpoint.close();
});

const put = async (call: DaemonCall, entity: string, value: string, members: object = {}): Promise<string> => {
  const { status, body } = await call('PUT', '/v1/facts', { entity, key: 'note', value, ...members });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.fact_id as string;
};

describe('facts with an embeddings endpoint', () => {
  let of: Fixture;
  beforeAll(async () => {
    of = fixtureIn(daemon);
    await put(of.ada, 'garage', 'The sedan is parked behind the shop.');
    await put(of.ada, 'harbour', 'A vessel lies at anchor.');
    await put(of.ada, 'word', 'The word automobile has ten letters.');
    await settled(api, of.tenant);
  });

  it('are found by meaning, below the match of words', async () => {
    expect((await factsOf(of.ada, 'automobile')).slice(0, 2)).toEqual(['word', 'garage']);
    expect((await factsOf(of.ada, 'a boat'))[0]).toBe('harbour');
  });

  it('are embedded in batches, with the prefixes, in the form that is asked for', () => {
    const inputs = endpoint.requests.flatMap(({ input }) => input);
    expect(inputs).toContain('passage: garage note: The sedan is parked behind the shop.');
    expect(inputs).toContain('query: automobile');
    for (const { input, encoding_format } of endpoint.requests) {
      expect(input.length).toBeLessThanOrEqual(8);
      expect(encoding_format).toBe('base64');
    }
  });

  it('are embedded as far as the limit of tokens goes', async () => {
    await put(of.ada, 'long', `The surgeon operates. ${'again and '.repeat(400)}`);
    await settled(api, of.tenant);
    const input = endpoint.requests.flatMap((one) => one.input).find((text) => text.includes('surgeon'))!;
    expect(input.split(' ').length).toBeLessThanOrEqual(64);
    expect(input).toMatch(/ (again|and) ?$/);
    expect((await factsOf(of.ada, 'physician'))[0]).toBe('long');
  });

  it('of a tenant with many leave others their turn', async () => {
    const [many, few] = [fixtureIn(daemon), fixtureIn(daemon)];
    const vectorsOf = async (tenant: string) =>
      (await api.database.query(`select from memory_vector where tenant_id = '${tenant}'`)).length;
    endpoint.manner.delayMs = 60;
    for (let from = 0; from < 400; from += 100) {
      const facts = Array.from({ length: 100 }, (_, n) => ({ entity: `e${from + n}`, key: 'note', value: 'A boat.' }));
      expect((await many.ada('PUT', '/v1/facts/bulk', facts)).status).toBe(201);
    }
    await until(async () => (await vectorsOf(many.tenant)) > 0);
    await put(few.ada, 'late', 'A vessel.');
    await settled(api, few.tenant);
    expect(await vectorsOf(many.tenant)).toBeLessThan(400);
    delete endpoint.manner.delayMs;
    await settled(api, many.tenant);
    expect(await vectorsOf(many.tenant)).toBe(400);
  });

  it('are narrowed by entity before they are ranked', async () => {
    const { body } = await of.ada('GET', '/v1/facts?query=boat&entity=garage');
    expect(body.facts.map((fact: any) => fact.entity)).toEqual(['garage']);
  });

  it('that were superseded or deleted are not near to anything', async () => {
    const id = await put(of.ada, 'moved', 'The boat is red.');
    await put(of.ada, 'harbour', 'Nothing floats here.');
    await settled(api, of.tenant);
    expect((await factsOf(of.ada, 'a ship'))[0]).toBe('moved');
    const { status } = await of.admin('DELETE', `/v1/facts/${id}`);
    expect(status).toBe(200);
    expect(await factsOf(of.ada, 'a ship')).not.toContain('moved');
    await settled(api, of.tenant);
    const rows = await api.database.query<{ count: number }>(
      'select count(*)::int as count from memory_vector where tenant_id = $1 and vector is null',
      [of.tenant],
    );
    expect(rows[0]!.count).toBe(2);
    expect(await factsOf(of.ada, 'a ship')).not.toContain('moved');
  });

  it('of another tenant are not there', async () => {
    expect(await factsOf(fixtureIn(daemon).ada, 'automobile')).toEqual([]);
  });
});

describe('private facts', () => {
  it('of others change neither what is found nor its order', async () => {
    const one = fixtureIn(daemon);
    for (const [entity, value] of [
      ['one', 'A sedan.'],
      ['two', 'A sedan and a vessel.'],
      ['three', 'A vessel.'],
    ])
      await put(one.ada, entity!, value!);
    await settled(api, one.tenant);
    const before = await factsOf(one.ada, 'car');
    for (let i = 0; i < 120; i++) await put(one.bob, `secret-${i}`, `A car, automobile ${i}.`, { private: true });
    await settled(api, one.tenant);
    expect(await factsOf(one.ada, 'car')).toEqual(before);
    expect((await factsOf(one.bob, 'car')).filter((entity) => entity.startsWith('secret'))).not.toEqual([]);
  }, 60_000);
});

describe('an erasure', () => {
  it('takes the vector with its fact, also out of memory', async () => {
    const one = fixtureIn(daemon);
    await put(one.ada, 'person:zoe', 'She sails a boat.');
    await put(one.ada, 'other', 'A surgeon.');
    await settled(api, one.tenant);
    expect((await factsOf(one.ada, 'a ship'))[0]).toBe('person:zoe');
    const { status, body } = await one.admin('POST', '/v1/facts/erase', { entities: ['person:zoe'] });
    expect([status, body]).toEqual([200, expect.anything()]);
    const rows = await api.database.query('select kind from memory_vector where tenant_id = $1', [one.tenant]);
    expect(rows).toHaveLength(1);
    expect(await factsOf(one.ada, 'a ship')).toEqual(['other']);
  });
});

describe('an endpoint that fails', () => {
  it.each([
    ['is away', { faults: [503, 503, 503, 503] }],
    ['says too many', { faults: [429] }],
    ['answers what is no number', { firstNumber: 'NaN' }],
    ['answers another dimension', { dimensions: 7 }],
    ['is slow', { delayMs: 400 }],
  ])(
    '%s: facts are found by their words, and by meaning later',
    async (_, { faults = [], ...manner }: any) => {
      const one = fixtureIn(daemon);
      endpoint.faults.push(...faults);
      Object.assign(endpoint.manner, manner);
      await put(one.ada, 'garage', 'The sedan is parked.');
      expect(await factsOf(one.ada, 'sedan')).toEqual(['garage']);
      if (Object.keys(manner).length > 0)
        await until(async () => endpoint.requests.at(-1)!.input[0]!.includes('parked'));
      for (const name of Object.keys(manner)) Reflect.deleteProperty(endpoint.manner, name);
      endpoint.faults.length = 0;
      await settled(api, one.tenant);
      // A process leaves an endpoint alone for a while that failed for a query.
      await until(async () => (await factsOf(one.ada, 'an automobile')).length > 0);
    },
    60_000,
  );
});

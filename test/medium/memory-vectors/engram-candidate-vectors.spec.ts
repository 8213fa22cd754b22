import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type EmbeddingsServer, startEmbeddings } from '../../kit/embeddings.js';
import { settled } from './given.js';

let endpoint: EmbeddingsServer;
let api: TestApi;
let daemon: TestDaemon;
const TENANTS = ['engrams', 'changed', 'erased', 'candidates', 'edited', 'gone', 'other'];
const env = () => ({ SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5' });
beforeAll(async () => {
  endpoint = await startEmbeddings();
  api = await startApi({ env: env() });
  daemon = await startDaemon({
    database: api.database,
    env: { ...env(), SVCD_AUTO_CAPTURE: '1', SVCD_CONTEXT_SURFACE: '1' },
    tenants: TENANTS,
  });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
  await endpoint.close();
});

const SCOPES = 'facts:write facts:read query:read admin:write admin:read';
const of = (tenant: string): DaemonCall => daemon.as({ scopes: SCOPES, tenant });

async function asked(tenant: string, ...request: Parameters<DaemonCall>): Promise<any> {
  const { status, body } = await of(tenant)(...request);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

const vectorsOf = (tenant: string, kind: string) =>
  api.database.query(`select 1 from memory_vector where tenant_id = $1 and kind = $2 and vector is not null`, [
    tenant,
    kind,
  ]);

describe('engrams with an embeddings endpoint', () => {
  const put = (tenant: string, name: string, content: string, more: object = {}) =>
    asked(tenant, 'PUT', `/v1/entities/engram/${name}`, { payload: { content, ...more } });
  const found = async (tenant: string, query: string, more = ''): Promise<string[]> => {
    const body = await asked(tenant, 'GET', `/v1/engrams?query=${encodeURIComponent(query)}${more}`);
    return body.engrams.map(({ name }: { name: string }) => name);
  };

  beforeAll(async () => {
    await put('engrams', 'parking', 'Park the sedan behind the shop.', { intent_bucket: 'road' });
    await put('engrams', 'harbour', 'Anchor the vessel.', { intent_bucket: 'sea' });
    await put('engrams', 'spelling', 'Spell the word automobile.');
    await put('engrams', 'switched-off', 'Wash the sedan.', { enabled: false });
    await settled(api, 'engrams', 'engram');
  });

  it('are found by meaning, below the match of words', async () => {
    expect((await found('engrams', 'automobile')).slice(0, 2)).toEqual(['spelling', 'parking']);
    expect((await found('engrams', 'a boat'))[0]).toBe('harbour');
    expect(await found('engrams', 'a boat', '&intent_bucket=road')).not.toContain('harbour');
    expect(await asked('engrams', 'GET', '/v1/engrams?query=a%20boat&limit=1')).toMatchObject({
      ...{ engrams: [{ name: 'harbour' }], has_more: false, next_cursor: null },
    });
  });

  it('are part of a context by meaning, switched off ones are not', async () => {
    const include = { token_budget: 500, include: ['engrams'] };
    const { items } = await asked('engrams', 'POST', '/v1/context', { task: 'wash my automobile', ...include });
    const why = new Map(items.map(({ id, why: reason }: any) => [id, reason]));
    expect(why.get('parking@1')).toContain('meaning');
    expect([...why.keys()]).not.toContain('switched-off@1');
  });

  it('of another tenant are not there, and a search has one page', async () => {
    expect(await found('other', 'automobile')).toEqual([]);
    const { status, body } = await of('engrams')('GET', '/v1/engrams?query=boat&cursor=x');
    expect([status, body.issues[0].path]).toEqual([400, 'query.cursor']);
  });

  it('are found by what their current version says, and not at all once they are deleted', async () => {
    await put('changed', 'plan', 'Park the sedan.');
    await settled(api, 'changed', 'engram');
    expect(await found('changed', 'automobile')).toEqual(['plan']);
    await put('changed', 'plan', 'Anchor the vessel.');
    await put('changed', 'walk', 'Clean the car.');
    await settled(api, 'changed', 'engram');
    expect([await found('changed', 'automobile'), await found('changed', 'boat')]).toEqual([['walk'], ['plan']]);
    expect(await vectorsOf('changed', 'engram')).toHaveLength(2);
    await asked('changed', 'DELETE', '/v1/entities/engram/plan');
    await settled(api, 'changed', 'engram');
    expect(await found('changed', 'boat')).not.toContain('plan');
    expect(await vectorsOf('changed', 'engram')).toHaveLength(1);
  });

  it('lose their vectors by an erasure; entities of other kinds have none', async () => {
    await asked('erased', 'PUT', '/v1/entities/person/plan', { payload: { content: 'Drives a sedan.' } });
    await put('erased', 'plan', 'Park the sedan of Ottokar Pfefferminz.');
    await put('erased', 'other', 'Park the sedan of nobody.');
    await settled(api, 'erased', 'engram');
    expect(await vectorsOf('erased', 'engram')).toHaveLength(2);
    await asked('erased', 'DELETE', '/v1/entities/person/plan');
    expect(await found('erased', 'automobile')).toEqual(expect.arrayContaining(['plan', 'other']));
    await asked('erased', 'POST', '/v1/facts/erase', { texts: ['Ottokar Pfefferminz'] });
    expect(await vectorsOf('erased', 'engram')).toHaveLength(1);
    expect(await found('erased', 'automobile')).toEqual(['other']);
  });
});

describe('candidates with an embeddings endpoint', () => {
  const extract = async (tenant: string, text: string): Promise<string[]> => {
    const { candidates } = await asked(tenant, 'POST', '/v1/memory/extract', { text });
    return candidates.map(({ candidate_id: id }: { candidate_id: string }) => id);
  };
  const found = async (tenant: string, query: string, more = ''): Promise<string[]> => {
    const body = await asked(tenant, 'GET', `/v1/memory/candidates?query=${encodeURIComponent(query)}${more}`);
    return body.candidates.map(({ value }: { value: string }) => value);
  };

  it('are found by meaning, below the match of words', async () => {
    await extract(
      'candidates',
      'We decided to buy a sedan. We decided to sell the vessel. We decided to rent an automobile.',
    );
    await settled(api, 'candidates', 'candidate');
    expect((await found('candidates', 'automobile')).slice(0, 2)).toEqual(['rent an automobile', 'buy a sedan']);
    expect((await found('candidates', 'the boat', '&limit=1'))[0]).toBe('sell the vessel');
    expect(await found('candidates', 'automobile', '&status=rejected')).toEqual([]);
    expect(await found('other', 'automobile')).toEqual([]);
    const { status, body } = await of('candidates')('GET', '/v1/memory/candidates?query=boat&cursor=x');
    expect([status, body.issues[0].path]).toEqual([400, 'query.cursor']);
  });

  it('are found by what they say after an edit, and by words alone once they are decided on', async () => {
    const [id] = await extract('edited', 'We decided to buy a sedan.');
    await extract('edited', 'We decided to plant a tree.');
    await settled(api, 'edited', 'candidate');
    expect((await found('edited', 'automobile'))[0]).toBe('buy a sedan');
    await asked('edited', 'PATCH', `/v1/memory/candidates/${id}`, { value: 'buy a vessel' });
    await settled(api, 'edited', 'candidate');
    expect((await found('edited', 'boat'))[0]).toBe('buy a vessel');
    expect(await found('edited', 'automobile')).not.toContain('buy a sedan');
    await asked('edited', 'POST', `/v1/memory/candidates/${id}/reject`, { reason: 'no' });
    await settled(api, 'edited', 'candidate');
    expect(await vectorsOf('edited', 'candidate')).toHaveLength(1);
    expect(await found('edited', 'boat')).not.toContain('buy a vessel');
    expect(await found('edited', 'vessel', '&status=rejected')).toEqual(['buy a vessel']);
  });

  it('lose their vectors by an erasure', async () => {
    await extract('gone', 'We decided to buy the sedan of Ottokar Pfefferminz. We decided to buy a car.');
    await settled(api, 'gone', 'candidate');
    await asked('gone', 'POST', '/v1/facts/erase', { texts: ['Ottokar Pfefferminz'] });
    expect(await vectorsOf('gone', 'candidate')).toHaveLength(1);
    expect(await found('gone', 'automobile')).toEqual(['buy a car']);
  });
});

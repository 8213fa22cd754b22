import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { type EmbeddingsServer, startEmbeddings } from '../../kit/embeddings.js';
import { settled, until } from './given.js';

let endpoint: EmbeddingsServer;
let api: TestApi;
let daemon: TestDaemon;
const TENANTS = ['found', 'failed', 'deleted', 'erased', 'held', 'other'];
const env = () => ({ SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5' });
beforeAll(async () => {
  endpoint = await startEmbeddings();
  api = await startApi({ env: env() });
  daemon = await startDaemon({
    database: api.database,
    env: { ...env(), SVCD_FEATURE_LEGAL_HOLD: '1', SVCD_CONTEXT_SURFACE: '1' },
    tenants: TENANTS,
  });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
  await endpoint.close();
});

const SCOPES = 'facts:write query:read admin:write admin:read receipts:read facts:read';
const of = (tenant: string): DaemonCall => daemon.as({ scopes: SCOPES, tenant });

async function record(tenant: string, task: string, more: object = {}): Promise<string> {
  const sent = { task, action: 'Did it.', outcome: 'Done.', ...more };
  const { status, body } = await of(tenant)('POST', '/v1/cases', sent);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.case.case_id as string;
}

async function casesFor(tenant: string, task: string, more: object = {}): Promise<any[]> {
  const { status, body } = await of(tenant)('POST', '/v1/cases/retrieve', { task, ...more });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.cases;
}
const tasksFor = async (tenant: string, task: string, more: object = {}): Promise<string[]> =>
  (await casesFor(tenant, task, more)).map((one) => one.task as string);

const vectorsOf = (tenant: string) =>
  api.database.query(`select item_id from memory_vector where tenant_id = $1 and kind = 'case'`, [tenant]);

describe('cases with an embeddings endpoint', () => {
  beforeAll(async () => {
    await record('found', 'Park the sedan');
    await record('found', 'Anchor the vessel');
    await record('found', 'Spell the word automobile');
    await settled(api, 'found', 'case');
  });

  it('are found by meaning, below the match of words, and the score says by what', async () => {
    const found = await casesFor('found', 'automobile');
    expect(found.slice(0, 2).map(({ task }) => task)).toEqual(['Spell the word automobile', 'Park the sedan']);
    const { bm25, vector, reward_factor, age_factor } = found[1].score_parts;
    expect(bm25).toBe(0);
    expect(vector).toBeGreaterThan(0);
    expect(found[1].score).toBeCloseTo(vector * reward_factor * age_factor, 10);
    expect((await tasksFor('found', 'a boat'))[0]).toBe('Anchor the vessel');
  });

  it('are part of a context by meaning', async () => {
    const { status, body } = await of('found')('POST', '/v1/context', {
      task: 'a boat',
      token_budget: 500,
      include: ['cases'],
    });
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('Anchor the vessel')]);
  });

  it('of another tenant are not there', async () => {
    expect(await tasksFor('other', 'automobile')).toEqual([]);
  });

  it('that failed are left out before the nearest are counted', async () => {
    for (let i = 0; i < 101; i++) await record('failed', `Drive car ${i}`, { success: false });
    await record('failed', 'Park the sedan and the vessel');
    await settled(api, 'failed', 'case');
    expect(await tasksFor('failed', 'an automobile', { only_success: true })).toEqual([
      'Park the sedan and the vessel',
    ]);
  }, 60_000);
});

describe('a case that goes', () => {
  it('by deletion takes its vector', async () => {
    const id = await record('deleted', 'Park the sedan');
    await settled(api, 'deleted', 'case');
    expect(await tasksFor('deleted', 'an automobile')).toEqual(['Park the sedan']);
    expect((await of('deleted')('DELETE', `/v1/cases/${id}`)).status).toBe(200);
    expect(await vectorsOf('deleted')).toEqual([]);
    expect(await tasksFor('deleted', 'an automobile')).toEqual([]);
  });

  it('by erasure takes its vector', async () => {
    await record('erased', 'Park the sedan of Ottokar Pfefferminz');
    await record('erased', 'Park the sedan of nobody');
    await settled(api, 'erased', 'case');
    const { status, body } = await of('erased')('POST', '/v1/facts/erase', { texts: ['Ottokar Pfefferminz'] });
    expect([status, body]).toEqual([200, expect.anything()]);
    expect(await vectorsOf('erased')).toHaveLength(1);
    expect(await tasksFor('erased', 'an automobile')).toEqual(['Park the sedan of nobody']);
  });

  it('keeps it while a legal hold keeps the case', async () => {
    const id = await record('held', 'Park the sedan');
    await settled(api, 'held', 'case');
    const { status, body } = await of('held')('POST', '/v1/legal-holds', {
      ...{ tenant_id: 'held', reason: 'court', entity_prefixes: [`case:${id}`] },
    });
    expect([status, body]).toEqual([201, expect.anything()]);
    expect((await of('held')('DELETE', `/v1/cases/${id}`)).status).toBe(409);
    expect(await tasksFor('held', 'an automobile')).toEqual(['Park the sedan']);
  });
});

it('finds a case that was committed after one with a greater number', async () => {
  const early = new Client(api.database.urlAs('svc_app'));
  await early.connect();
  await early.query(`begin; select set_config('svc.tenant_id', 'other', true)`);
  const insert = (task: string) => `insert into memory_case (tenant_id, case_id, task, action, outcome, success, reward,
    content_hash, length, receipt_id, recorded_by)
    values ('other', gen_random_uuid(), '${task}', '', '', true, 1, '', 1, gen_random_uuid(), 'ada')`;
  await early.query(insert('Park the sedan'));
  await record('other', 'Anchor the vessel');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await early.query('commit');
  await early.end();
  await until(async () => (await tasksFor('other', 'an automobile')).includes('Park the sedan'));
});

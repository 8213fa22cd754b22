import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({
    env: { SVCD_FEATURE_LEGAL_HOLD: '1' },
    tenants: ['acme', 'globex', 'ranked', 'aged', 'listed', 'crowd'],
  });
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const ROUTE = '/v1/cases';
const SCOPES = 'facts:write query:read admin:write admin:read receipts:read';
const of = (tenant: string): DaemonCall => daemon.as({ scopes: SCOPES, tenant });
const record = async (more: object = {}, by: DaemonCall = of('acme')): Promise<any> => {
  const { status, body } = await by('POST', ROUTE, {
    task: 'Deploy the shop to staging',
    action: 'Ran deploy.sh with the canary flag',
    outcome: 'Live after two minutes',
    ...more,
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.case;
};
const retrieve = async (task: string, more: object = {}, by: DaemonCall = of('acme')): Promise<any[]> => {
  const { status, body } = await by('POST', `${ROUTE}/retrieve`, { task, ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.cases;
};

describe('a case', () => {
  it('is recorded with what is known, read back as it was, and receipted without its text', async () => {
    const sent = { context: 'zyzzyva 4', lesson: 'Warm the cache first', success: true, reward: 0.7, tags: ['deploy'] };
    const made = await record({ ...sent, source_receipt: 'r-1' });
    expect(made).toMatchObject({ ...sent, source_receipt: 'r-1', screened: [], created_by: expect.any(String) });
    expect((await of('acme')('GET', `${ROUTE}/${made.case_id}`)).body).toEqual({ schema: 'svc.case/1', case: made });
    const { body } = await of('acme')('GET', `/v1/receipts/${made.receipt_id}/verification?tenant_id=acme`);
    expect(body).toMatchObject({ signature_valid: true, error_code: 'OK' });
    const [left] = await daemon.database.query<{ all: string }>(
      `select (select string_agg(r::text, '') from receipt r where subject = '${made.case_id}') || (select string_agg(e::text, '') from outbox_event e where subject = '${made.case_id}') as all`,
    );
    expect(left!.all).toContain(made.content_hash);
    expect(left!.all).not.toContain('zyzzyva');
  });

  it('is a success of reward 1 where nothing is said, and a failure is worth 0', async () => {
    expect(await record()).toMatchObject({ success: true, reward: 1, context: '', lesson: null, tags: [] });
    expect(await record({ success: false })).toMatchObject({ success: false, reward: 0 });
    expect(await record({ reward: 0.25 })).toMatchObject({ success: false, reward: 0.25 });
  });

  it('keeps no secret: it is masked in each member, kind and span stay', async () => {
    const secret = 'ghp_1234567890abcdefghijklmnopqrstuvwxyz';
    const made = await record({
      action: `Used ${secret} there`,
      lesson: `never paste ${secret}`,
      tags: ['a'],
      source_receipt: secret,
    });
    expect(JSON.stringify(made)).not.toContain(secret);
    expect(made.screened).toMatchObject([
      { member: 'action', start: 5, end: 45 },
      { member: 'lesson', start: 12, end: 52 },
      { member: 'source_receipt', start: 0, end: 40 },
    ]);
    const rows = await daemon.database.query<{ found: number }>(
      `select count(*)::int as found from memory_case c where c::text like '%${secret}%'
       union all select count(*)::int from memory_case_term t where t.term like '%1234567890abcdef%'`,
    );
    expect(rows).toEqual([{ found: 0 }, { found: 0 }]);
  });
});

describe('retrieval', () => {
  it('ranks by words, weighs by reward, and shows how', async () => {
    const by = of('ranked');
    const good = await record({ task: 'Rotate the signing keys', reward: 1 }, by);
    const poor = await record({ task: 'Rotate the signing keys', reward: 0.2 }, by);
    const other = await record({ task: 'Write the newsletter', action: 'Wrote it' }, by);
    const found = await retrieve('rotate signing keys', { top_k: 10 }, by);
    expect(found.map(({ case_id }) => case_id)).toEqual([good.case_id, poor.case_id]);
    expect(found.map(({ case_id }) => case_id)).not.toContain(other.case_id);
    const [a, b] = found;
    expect(a.score_parts.bm25).toBeCloseTo(b.score_parts.bm25, 10);
    expect([a.score_parts.reward_factor, b.score_parts.reward_factor]).toEqual([1, expect.closeTo(0.6, 6)]);
    for (const { score, score_parts: p } of found)
      expect(score).toBeCloseTo(p.bm25 * p.reward_factor * p.age_factor, 10);
    // By hand: N 3, df 2 for each of three words.
    const idf = Math.log(1 + (3 - 2 + 0.5) / 2.5);
    const [lengths] = await daemon.database.query<{ average: number; own: number }>(
      `select avg(length)::float8 as average, max(length) filter (where case_id = '${good.case_id}') as own from memory_case where tenant_id = 'ranked'`,
    );
    const norm = 1.2 * (0.25 + (0.75 * lengths!.own) / lengths!.average);
    expect(a.score_parts.bm25).toBeCloseTo((3 * idf * 2.2) / (1 + norm), 9);
  });

  it('answers failures too, unless only successes are asked for, and three where nothing is said', async () => {
    const task = `Migrate the ledger ${crypto.randomUUID()}`;
    const failed = await record({ task, success: false });
    for (let i = 0; i < 4; i++) await record({ task });
    expect(await retrieve('migrate the ledger')).toHaveLength(3);
    const all = await retrieve('migrate the ledger', { top_k: 10 });
    expect(all.map(({ case_id }) => case_id)).toContain(failed.case_id);
    expect(all.at(-1).case_id).toBe(failed.case_id);
    const good = await retrieve('migrate the ledger', { top_k: 10, only_success: true });
    expect([good.length, good.every(({ success }) => success)]).toEqual([4, true]);
  });

  it('weighs an old case less, and half at least', async () => {
    const by = of('aged');
    const old = await record({ task: 'Trim the hedge' }, by);
    await record({ task: 'Trim the hedge' }, by);
    const set = async (days: number) => {
      const superuser = new Client({ connectionString: daemon.database.superuserUrl });
      await superuser.connect();
      const set = `update memory_case set created_at = now() - interval '${days} days' where case_id = '${old.case_id}'`;
      await superuser.query(set);
      await superuser.end();
    };
    for (const [days, factor] of [
      [180, 0.75],
      [100_000, 0.5],
    ] as const) {
      await set(days);
      const found = await retrieve('trim the hedge', {}, by);
      expect(found[1]).toMatchObject({ case_id: old.case_id, score_parts: { age_factor: expect.closeTo(factor, 3) } });
    }
  });

  it('finds nothing for words that no case has, or none at all', async () => {
    expect(await retrieve('xylophone')).toEqual([]);
    expect(await retrieve('the of !?')).toEqual([]);
  });

  it('is the same again, and complete, while others record', async () => {
    const by = of('crowd');
    await Promise.all(Array.from({ length: 12 }, (_, i) => record({ task: `Sweep the yard ${i}` }, by)));
    const [first, second] = [
      await retrieve('sweep the yard', { top_k: 50 }, by),
      await retrieve('sweep the yard', { top_k: 50 }, by),
    ];
    expect(first).toHaveLength(12);
    expect(second).toEqual(first);
  });
});

it('cases are listed page by page, newest first, by tag and by how they went', async () => {
  const by = of('listed');
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await record({ tags: i % 2 ? ['odd'] : [], success: i !== 4 }, by)).case_id);
  const found: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await by('GET', `${ROUTE}?limit=2${cursor}`);
    found.push(...body.cases.map((one: any) => one.case_id));
    expect(body.has_more).toBe(body.next_cursor !== null);
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(found).toEqual([...ids].reverse());
  const listed = async (query: string) => (await by('GET', `${ROUTE}?${query}`)).body.cases.map((c: any) => c.case_id);
  expect(await listed('tag=odd')).toEqual([ids[3], ids[1]]);
  expect(await listed('success=false')).toEqual([ids[4]]);
});

describe('deletion', () => {
  it('takes the case, its words, and leaves a receipt', async () => {
    const made = await record({ task: 'Paint the quokka' });
    const { status, body } = await of('acme')('DELETE', `${ROUTE}/${made.case_id}`);
    expect([status, body]).toEqual([200, { case_id: made.case_id, deleted: true, receipt_id: expect.any(String) }]);
    expect(await retrieve('quokka')).toEqual([]);
    expect((await of('acme')('GET', `${ROUTE}/${made.case_id}`)).status).toBe(404);
    expect((await of('acme')('DELETE', `${ROUTE}/${made.case_id}`)).status).toBe(404);
    const words = await daemon.database.query(`select 1 from memory_case_term where case_id = '${made.case_id}'`);
    expect(words).toEqual([]);
  });

  it('is refused while a legal hold pins it', async () => {
    const made = await record({ task: 'Hold the marmot' });
    const held = await of('acme')('POST', '/v1/legal-holds', {
      ...{ tenant_id: 'acme', reason: 'court', entity_prefixes: [`case:${made.case_id}`] },
    });
    expect([held.status, held.body.detail]).toEqual([201, undefined]);
    expect((await of('acme')('DELETE', `${ROUTE}/${made.case_id}`)).status).toBe(409);
    expect(await retrieve('marmot')).toHaveLength(1);
  });

  it('of a subject by its text reaches cases and their words', async () => {
    const made = await record({ action: 'Wrote to Ottokar Pfefferminz about it' });
    const { status, body } = await of('acme')('POST', '/v1/facts/erase', { texts: ['Ottokar Pfefferminz'] });
    expect([status < 300, body.detail]).toEqual([true, undefined]);
    expect((await of('acme')('GET', `${ROUTE}/${made.case_id}`)).status).toBe(404);
    expect(await retrieve('pfefferminz')).toEqual([]);
  });
});

describe('what is refused', () => {
  const GIVEN = { task: 'a', action: 'b', outcome: 'c' };
  it.each<[string, object, string]>([
    ['no task', { task: undefined }, 'body.task'],
    ['an empty action', { action: '' }, 'body.action'],
    ['an outcome that is no text', { outcome: 3 }, 'body.outcome'],
    ['a reward above 1', { reward: 1.1 }, 'body.reward'],
    ['a success that is no flag', { success: 'yes' }, 'body.success'],
    ['tags that are no list', { tags: 'a' }, 'body.tags'],
    ['a member there is not', { color: 'red' }, 'color'],
  ])('is %s: 400 names the member', async (_what, more, member) => {
    const { status, body } = await of('acme')('POST', ROUTE, { ...GIVEN, ...more });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(member)]);
  });

  it('is a search without a task, of none, or of too many; an id and a cursor that are none', async () => {
    for (const body of [{}, { task: 'a', top_k: 0 }, { task: 'a', top_k: 51 }])
      expect((await call('POST', `${ROUTE}/retrieve`, body)).status).toBe(400);
    expect((await call('GET', `${ROUTE}/nothing`)).status).toBe(400);
    expect((await call('GET', `${ROUTE}?cursor=nothing`)).status).toBe(400);
  });

  it('is the case of another tenant, whatever is asked of it', async () => {
    const made = await record({ task: 'Feed the axolotl' });
    const globex = of('globex');
    expect((await globex('GET', `${ROUTE}/${made.case_id}`)).status).toBe(404);
    expect((await globex('DELETE', `${ROUTE}/${made.case_id}`)).status).toBe(404);
    expect(await retrieve('feed the axolotl', {}, globex)).toEqual([]);
    expect((await globex('GET', ROUTE)).body.cases).toEqual([]);
    expect(await retrieve('axolotl')).toHaveLength(1);
  });

  it('is a caller without the scope', async () => {
    const reader = daemon.as({ scopes: 'query:read', tenant: 'acme' });
    const writer = daemon.as({ scopes: 'facts:write', tenant: 'acme' });
    expect((await reader('POST', ROUTE, GIVEN)).status).toBe(403);
    expect((await writer('POST', `${ROUTE}/retrieve`, { task: 'a' })).status).toBe(403);
    expect((await writer('GET', ROUTE)).status).toBe(403);
  });
});

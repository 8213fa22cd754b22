import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { sendOk } from '../../kit/send-ok.js';
import { givenDocument } from '../citations/given.js';
import { givenAnswer } from '../proofs/given.js';

/** Documents come by the api; the daemon assembles. */
let api: TestApi;
let daemon: TestDaemon;
let keeping: TestDaemon;
let acme: TestTenant;
let call: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  await api.addTenant('globex');
  const env = { SVCD_CONTEXT_SURFACE: '1' };
  daemon = await startDaemon({ database: api.database, env });
  keeping = await startDaemon({ database: api.database, env: { ...env, SVCD_ASSEMBLY_CACHE: '1' } });
  call = daemon.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
  await fill();
});
afterAll(async () => {
  await keeping.close();
  await daemon.close();
  await api.close();
});

const ROUTE = '/v1/context';
const TASK = 'Deploy the numbat shop to production';
const must = (method: string, path: string, body: object, by = call) => sendOk(by, method, path, body);
const assembled = (more: object = {}, by = call): Promise<any> => must('POST', ROUTE, { task: TASK, ...more }, by);
const kindsIn = (context: any): string[] => [...new Set<string>(context.items.map(({ kind }: any) => kind))].sort();
const engram = (content: string) =>
  must('PUT', '/v1/entities/engram/deploy', {
    payload: { content, query_pattern: 'deploy', description: 'How to deploy' },
  });

async function fill(): Promise<void> {
  for (let i = 0; i < 8; i++)
    await must('PUT', '/v1/facts', {
      entity: 'shop:numbat',
      key: `deploy-${i}`,
      value: `Deploy step ${i} of the numbat`,
    });
  await must('PUT', '/v1/facts', { entity: 'session:s-1', key: 'mood', value: 'quiet' });
  await must('POST', '/v1/cases', { task: TASK, action: 'Ran it twice', outcome: 'It failed', success: false });
  await engram('Deploy slowly, one zone after the other.');
  await must('POST', '/v1/work', {
    tenant_id: acme.tenantId,
    created_by_passport: 'codex:7',
    project_id: 'shop',
    title: 'Deploy the numbat page',
  });
  await must('POST', '/v1/work', {
    tenant_id: acme.tenantId,
    created_by_passport: 'codex:7',
    project_id: 'shop',
    title: 'Buy cake',
  });
  await givenDocument(acme, {
    text: 'The numbat shop is deployed by the night crew.',
    corpusId: 'guide',
    docId: 'deploy',
  });
}

describe('a context', () => {
  it('has whole items of every kind that is there, each with its reason, within the budget', async () => {
    const context = await assembled({ token_budget: 2000 });
    expect(kindsIn(context)).toEqual(['cases', 'engrams', 'facts', 'passages', 'work']);
    expect(context).toMatchObject({ schema: 'svc.context/1', task: TASK, token_budget: 2000, cached: false });
    const tokens = context.items.reduce((sum: number, item: any) => sum + item.tokens, 0);
    expect([context.total_tokens, tokens <= 2000]).toEqual([tokens, true]);
    for (const item of context.items)
      expect(item).toMatchObject({
        id: expect.any(String),
        tokens: expect.any(Number),
        why: expect.stringMatching(/\w/),
      });
    expect(context.omitted.filter(({ kind }: any) => kind === 'layers')).toEqual([]);
    expect(context.items.find(({ kind }: any) => kind === 'cases').text).toContain('Outcome (failure): It failed');
    expect(context.items.filter(({ kind }: any) => kind === 'work')).toHaveLength(1);
  });

  it('has passages with all that a citation of them needs', async () => {
    const { items } = await assembled({ include: ['passages'] });
    const [{ id, citation }] = items;
    expect(citation).toMatchObject({ corpus_id: 'guide', doc_id: 'deploy' });
    expect(await givenAnswer(acme, [id])).toEqual(expect.any(String));
  });

  it('has the parts of passages that fit, whole lines, each with where it stands', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `Line ${i} is about the harvest of that year.`);
    lines[7] = 'Bilbies eat at night.';
    await givenDocument(acme, { text: lines.join('\n'), corpusId: 'zoo', docId: 'bilby' });
    const wanted = { task: 'When do bilbies eat?', include: ['passages'] };
    const context = await assembled({ ...wanted, token_budget: 12 });
    const [{ id, text, why, citation }] = context.items;
    expect([text, why]).toEqual(['… Bilbies eat at night. …', 'parts of passage 1 for the task']);
    const [{ start, end }] = citation.spans;
    const quote = 'Bilbies eat at night.';
    const citations = [{ chunkId: id, quote, start, end }];
    expect(await givenAnswer(acme, [id], { citations })).toEqual(expect.any(String));
    const [whole] = (await assembled({ ...wanted, token_budget: 2000 })).items;
    expect([whole.id, whole.text, whole.citation.spans]).toEqual([id, lines.join('\n'), undefined]);
    const other = await assembled({ ...wanted, token_budget: 13 });
    expect(other.context_hash).not.toBe(context.context_hash);
  });

  it('has digests, scores and a list of what was left out only where they are asked for', async () => {
    const [few, all] = [await assembled({ token_budget: 60 }), await assembled({ token_budget: 60, details: true })];
    expect(all.context_hash).toBe(few.context_hash);
    expect(few.items[0]).not.toHaveProperty('hash');
    expect(all.items[0]).toMatchObject({ hash: expect.stringMatching(/^blake3:/), score: expect.any(Number) });
    expect(all.omitted).toHaveLength(few.omitted_count);
    expect(few.omitted.reduce((sum: number, { count = 1 }: any) => sum + count, 0)).toBe(few.omitted_count);
    expect(few.omitted.find(({ kind }: any) => kind === 'facts')).toMatchObject({ count: expect.any(Number) });
  });

  it('keeps to its budget, and says what had no place', async () => {
    const context = await assembled({ token_budget: 30, details: true });
    expect(context.total_tokens).toBeLessThanOrEqual(30);
    expect(context.items.length).toBeGreaterThan(0);
    const left = context.omitted.filter(({ reason }: any) => reason === 'budget');
    expect(left.length).toBeGreaterThan(5);
    expect(context.omitted_count).toBeGreaterThanOrEqual(context.omitted.length);
    expect((await assembled({ token_budget: 1 })).items).toEqual([]);
  });

  it('is the same again for the same state, and another once an item changes', async () => {
    const [one, two] = [await assembled(), await assembled()];
    expect(two).toEqual({ ...one, assembled_at: two.assembled_at });
    await must('PUT', '/v1/facts', { entity: 'shop:numbat', key: 'deploy-0', value: 'Deploy step nought, changed' });
    const changed = await assembled();
    expect(changed.context_hash).not.toBe(one.context_hash);
    expect((await assembled({ token_budget: 3999 })).context_hash).not.toBe(changed.context_hash);
  });

  it('looks at the kinds asked for alone, at facts of the session, at work of the project', async () => {
    expect(kindsIn(await assembled({ include: ['cases', 'cases'] }))).toEqual(['cases']);
    expect((await assembled({ include: ['layers'] })).items).toEqual([]);
    const of = await assembled({ include: ['facts'], session_id: 's-1', task: 'zzz' });
    expect(of.items).toMatchObject([{ text: 'session:s-1 mood: quiet', why: 'of session s-1' }]);
    const shop = await assembled({ include: ['work'], project_id: 'shop' });
    expect(shop.items.map(({ text }: any) => text).sort()).toEqual([
      expect.stringContaining('Buy cake'),
      expect.stringContaining('Deploy the numbat page'),
    ]);
    expect((await assembled({ include: ['work'], project_id: 'other' })).items).toEqual([]);
  });

  it("leaves another's private facts out, also of what an admin asks for", async () => {
    const as = (passport: string, scopes = 'query:read facts:write') =>
      daemon.as({ scopes, tenant: acme.tenantId, passport });
    await must('PUT', '/v1/facts', { entity: 'me', key: 'k', value: 'quokka deploy', private: true }, as('ann:1'));
    const find = async (by: DaemonCall) => (await assembled({ task: 'quokka', include: ['facts'] }, by)).items.length;
    expect([await find(as('ann:1')), await find(as('ben:1'))]).toEqual([1, 0]);
    expect(await find(as('root:1', 'admin:read query:read'))).toBe(0);
  });
});

describe('facts that were stored next to what is found', () => {
  const said = (key: string, value: string, by: DaemonCall, more: object = {}) =>
    must('PUT', '/v1/facts', { entity: 'talk', key, value, ...more }, by);
  const keysFor = async (by: DaemonCall): Promise<string[]> => {
    const { items } = await assembled({ task: 'where is the wombat', token_budget: 500, include: ['facts'] }, by);
    return items.map(({ text }: any) => /^talk (\S+):/.exec(text)?.[1]);
  };

  it('come after it, the nearest first, unless another wrote them; private facts of others change nothing', async () => {
    const ada = daemon.as({ scopes: 'facts:write query:read', tenant: 'globex', passport: 'ada' });
    const bob = daemon.as({ scopes: 'facts:write query:read', tenant: 'globex', passport: 'bob' });
    await said('far', 'Something else.', ada);
    await said('next', 'Behind the old mill.', ada);
    await said('found', 'Where is the wombat?', ada);
    await said('by-bob', 'Have a nice day.', bob);
    await said('last', 'It likes it there.', ada);
    const keys = await keysFor(ada);
    expect(keys).toEqual(['found', 'next', 'far', 'last']);
    await said('secret', 'Nobody knows.', bob, { private: true });
    await said('wombat', 'A wombat of my own, where nobody sees the wombat.', bob, { private: true });
    expect(await keysFor(ada)).toEqual(keys);
  });
});

describe('the cache', () => {
  it('answers again what was made of the same state, and never what has changed since', async () => {
    const by = keeping.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
    const again = () => assembled({}, by);
    const first = await again();
    expect(first.cached).toBe(false);
    const second = await again();
    expect(second).toEqual({ ...first, cached: true });
    const changes: [string, () => Promise<unknown>][] = [
      ['fact', () => must('PUT', '/v1/facts', { entity: 'shop:numbat', key: 'deploy-1', value: 'Deploy never' })],
      ['case', () => must('POST', '/v1/cases', { task: TASK, action: 'Waited', outcome: 'Better' })],
      ['engram', () => engram('Deploy fast.')],
      [
        'work',
        () =>
          must('POST', '/v1/work', {
            tenant_id: acme.tenantId,
            created_by_passport: 'codex:7',
            project_id: 'shop',
            title: 'Deploy more numbat',
          }),
      ],
      ['document', () => givenDocument(acme, { text: 'Numbats deploy at dawn.', corpusId: 'guide', docId: 'dawn' })],
    ];
    for (const [what, change] of changes) {
      const before = await again();
      await change();
      const after = await again();
      expect([what, after.cached, after.context_hash !== before.context_hash]).toEqual([what, false, true]);
      expect([what, (await again()).cached]).toEqual([what, true]);
    }
    const { facts } = (await by('GET', '/v1/facts?entity=shop:numbat')).body;
    await by('DELETE', `/v1/facts/${facts[0].fact_id}`);
    expect((await again()).cached).toBe(false);
  });

  it('keeps what each caller may see apart, and requests that differ', async () => {
    const as = (passport: string) => keeping.as({ scopes: 'query:read facts:write', tenant: acme.tenantId, passport });
    await assembled({}, as('ann:1'));
    expect((await assembled({}, as('ben:1'))).cached).toBe(false);
    expect((await assembled({}, as('ann:1'))).cached).toBe(true);
    expect((await assembled({ token_budget: 77 }, as('ann:1'))).cached).toBe(false);
  });

  it('misses a change that commits after others that began later', async () => {
    const by = keeping.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
    const late = new Client(api.database.urlAs('svc_operator'));
    await late.connect();
    await late.query('begin');
    await late.query(
      `insert into outbox_event (tenant_id, event_id, kind, subject, data) values ($1, gen_random_uuid(), 'fact.stored', 'x', '{}')`,
      [acme.tenantId],
    );
    await must('PUT', '/v1/facts', { entity: 'late', key: 'k', value: 'a later one' });
    await assembled({}, by);
    expect((await assembled({}, by)).cached).toBe(true);
    await late.query('commit');
    await late.end();
    expect((await assembled({}, by)).cached).toBe(false);
  });

  it('is not there without its flag', async () => {
    await assembled();
    expect((await assembled()).cached).toBe(false);
  });
});

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['no task', { task: undefined }, 'body.task'],
    ['a kind there is not', { include: ['facts', 'rumours'] }, 'body.include[1]'],
    ['no kind', { include: [] }, 'body.include'],
    ['a budget of nothing', { token_budget: 0 }, 'body.token_budget'],
    ['a budget that is no number', { token_budget: 'all' }, 'body.token_budget'],
    ['a flag that is none', { details: 'all' }, 'body.details'],
    ['a member there is not', { color: 'red' }, 'color'],
  ])('is %s: 400 names the member', async (_what, more, member) => {
    const { status, body } = await call('POST', ROUTE, { task: TASK, ...more });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(member)]);
  });

  it('is a caller without the scope', async () => {
    const by = daemon.as({ scopes: 'facts:write', tenant: acme.tenantId });
    expect((await by('POST', ROUTE, { task: TASK })).status).toBe(403);
  });

  it('is what another tenant has', async () => {
    const globex = daemon.as({ scopes: ALL_SCOPES, tenant: 'globex' });
    expect((await assembled({}, globex)).items).toEqual([]);
    const kept = keeping.as({ scopes: ALL_SCOPES, tenant: 'globex' });
    expect((await assembled({}, kept)).items).toEqual([]);
  });

  it('is everything without the flag', async () => {
    const plain = await startDaemon({ database: api.database });
    expect((await plain.call('POST', ROUTE, { task: TASK })).status).toBe(404);
    await plain.close();
  });
});

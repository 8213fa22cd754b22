import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller, send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { givenAnswer, givenDocument, retrieve } from '../proofs/given.js';
import { anotherKey } from '../shield/given.js';
import { connect, REVISIONS } from './mcp-clients.js';

let api: TestApi;
let tools: TestTools;
let acme: TestTenant;
let colleague: TestTenant;
let publisher: TestTenant;
const env = { SVC_TOOLS_RATE_LIMIT: '0' };
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api, { env });
  acme = api.tenant;
  colleague = await anotherKey(api, acme);
  publisher = await api.addTenant('publisher');
  await givenDocument(publisher, { text: 'Tides turn.', docId: 'tides', shareability: 'public_safe' });
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

const credentialOf = ({ tenantId, apiKey }: TestTenant) => ({ 'x-tenant-id': tenantId, 'x-api-key': apiKey });
const line = (method: string, params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

/** One call by POST /rpc: its result and whether it is marked as repeated, or its error. */
async function call(method: string, params: object, tenant = acme): Promise<any> {
  const { body, headers } = await send(tools.url, 'POST', '/rpc', line(method, params), credentialOf(tenant));
  if (body.error) return { error: body.error };
  const { replayed, ...result } = body.result;
  expect(headers.get('x-idempotency-replayed')).toBe(replayed === undefined ? null : 'true');
  expect([undefined, true]).toContain(replayed);
  return { result, replayed };
}

const watch = (params: object, tenant = acme) => call('watch_answer', params, tenant);
const watched = async (): Promise<string[]> =>
  (await acme.call('GET', '/v1/watches')).body.watches.map(({ watchId }: any) => watchId);

/** Starts a proof and waits for its end. */
async function prove(params: object, tenant = acme): Promise<{ jobId: string; verdict: string; replayed?: true }> {
  const { result, replayed, error } = await call('proof_document', { mode: 'light', ...params }, tenant);
  expect(error).toBeUndefined();
  const job = async () => (await call('get_proof_status', { job_id: result.jobId }, tenant)).result;
  await expect.poll(async () => (await job()).status, { timeout: 20_000 }).toBe('completed');
  return { jobId: result.jobId, verdict: (await job()).verdict, replayed };
}

/** Proves twice: the same job, the second time marked. */
async function proveTwice(params: object, tenant = acme): Promise<{ jobId: string; verdict: string }> {
  const { replayed, ...first } = await prove(params, tenant);
  expect(replayed).toBeUndefined();
  expect(await prove(params, tenant)).toEqual({ ...first, replayed: true });
  return first;
}

describe('a watch that is made without a key', () => {
  it('is the same watch until that one has ended, and then a new one that watches', async () => {
    await givenDocument(acme, { text: 'The gate opens at eight.', docId: 'gate' });
    const params = { agent_id: 'clerk', target_type: 'document', target_id: 'handbook/gate' };
    const first = await watch(params);
    expect(first).toMatchObject({ result: { active: true }, replayed: undefined });
    expect(await watch(params)).toEqual({ ...first, replayed: true });

    const unwatch = { watch_id: first.result.watchId };
    const ended = await call('unwatch_answer', unwatch);
    expect(ended).toMatchObject({ result: { active: false }, replayed: undefined });
    expect(await call('unwatch_answer', unwatch)).toEqual({ ...ended, replayed: true });

    const second = await watch(params);
    expect(second).toMatchObject({ result: { active: true }, replayed: undefined });
    expect(await watched()).toEqual([second.result.watchId]);
    expect(await watch(params)).toEqual({ ...second, replayed: true });
    await givenDocument(acme, { text: 'The gate opens at nine.', docId: 'gate' });
    const alerts = async () =>
      (await call('get_watch_alerts', { watch_id: second.result.watchId })).result.alerts.map((one: any) => one.change);
    await expect.poll(alerts, { timeout: 20_000 }).toEqual(['new_version']);

    // The first one has ended, and that its target is watched again must not be taken for an effect of the repeat.
    const late = await call('unwatch_answer', unwatch);
    expect(late.error).toMatchObject({ code: -32004, data: { type: 'WatchUnknown' } });
    expect(await watched()).toEqual([second.result.watchId]);
  });

  it('is new as well where somebody else ended the one before, by the API', async () => {
    for (const params of [
      { target_type: 'query', query: { query: 'opening hours', corpus_ids: ['handbook'] } },
      { target_type: 'query', target_id: 'hours', query: { query: 'opening hours' } },
      { target_type: 'artifact', target_id: 'handbook/gate' },
      { target_type: 'artefact', target_id: 'handbook/gate', agent_id: 'other' },
    ]) {
      const first = await watch(params);
      expect(await watch(params)).toEqual({ ...first, replayed: true });
      expect((await colleague.call('DELETE', `/v1/watches/${first.result.watchId}`)).status).toBe(200);
      const second = await watch(params);
      expect([second.replayed, await watched()]).toEqual([undefined, expect.arrayContaining([second.result.watchId])]);
      expect(await watch(params)).toEqual({ ...second, replayed: true });
    }
  });

  it('is not another one because a watch of something else, or of somebody else, has ended', async () => {
    const params = { agent_id: 'guard', target_type: 'document', target_id: 'handbook/gate' };
    const first = await watch(params);
    for (const [other, tenant] of [
      [{ ...params, agent_id: 'guard-2' }, acme],
      [{ ...params, target_type: 'artifact' }, acme],
      [params, colleague],
    ] as const) {
      const { result } = await watch(other, tenant);
      await call('unwatch_answer', { watch_id: result.watchId }, tenant);
    }
    expect(await watch(params)).toEqual({ ...first, replayed: true });
  });

  it('is refused, and not remembered, where the API refuses it', async () => {
    const wrong = { target_type: 'query', target_id: 'no question' };
    for (let i = 0; i < 2; i++)
      expect((await watch(wrong)).error).toMatchObject({
        code: -32602,
        data: { issues: [{ path: 'params.query', message: 'is needed where target_type is query' }] },
      });
    const noId = await call('unwatch_answer', { watch_id: 'not-a-uuid' });
    expect(noId.error).toMatchObject({ code: -32602, data: { issues: [{ path: 'params.watch_id' }] } });
  });
});

describe('a proof that is started without a key', () => {
  it('of an answer is a new one once a cited document has a new version, is gone, or the answer has one', async () => {
    await givenDocument(acme, { text: 'Badgers dig setts.', docId: 'badgers' });
    const [{ chunkId }] = await retrieve(acme, 'badgers');
    const answerId = await givenAnswer(acme, [chunkId]);
    const first = await proveTwice({ answer_id: answerId });
    expect(first.verdict).toBe('holds');

    await givenDocument(acme, { text: 'Badgers do not dig.', docId: 'badgers' });
    const drifted = await proveTwice({ answer_id: answerId });
    expect([drifted.jobId === first.jobId, drifted.verdict]).toEqual([false, 'drifted']);

    expect((await acme.call('DELETE', '/v1/documents/handbook/badgers')).status).toBeLessThan(300);
    const gone = await proveTwice({ answer_id: answerId });
    expect([first.jobId, drifted.jobId]).not.toContain(gone.jobId);

    await givenDocument(acme, { text: 'Badgers dig setts.', docId: 'badgers' });
    const [{ chunkId: fresh }] = await retrieve(acme, 'badgers');
    const back = await proveTwice({ answer_id: answerId });
    await givenAnswer(acme, [fresh], { answerId });
    const recorded = await proveTwice({ answer_id: answerId });
    expect(new Set([first, drifted, gone, back, recorded].map(({ jobId }) => jobId)).size).toBe(5);
    expect(recorded.verdict).toBe('holds');
  });

  it('of a document or a passage is a new one with its next version', async () => {
    await givenDocument(acme, { text: 'Otters swim.', corpusId: 'a/b', docId: 'c/otters' });
    const [{ chunkId }] = await retrieve(acme, 'otters');
    const subjects = [{ artefact_id: 'a/b/c/otters' }, { artefact_id: chunkId }];
    const before = await Promise.all(subjects.map((subject) => proveTwice(subject)));
    await givenDocument(acme, { text: 'Otters float.', corpusId: 'a/b', docId: 'c/otters' });
    const after = await Promise.all(subjects.map((subject) => proveTwice(subject)));
    expect(new Set([...before, ...after].map(({ jobId }) => jobId)).size).toBe(4);
    expect(before.map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
  });

  it('of what another tenant shares is a new one once it is shared no longer', async () => {
    const [{ chunkId }] = await retrieve(acme, 'tides');
    const answerId = await givenAnswer(acme, [chunkId]);
    const shared = await proveTwice({ answer_id: answerId });
    expect(shared.verdict).toBe('holds');
    // The same names in the own tenant are another document.
    await givenDocument(acme, { text: 'Tides of ours.', docId: 'tides' });
    expect((await prove({ answer_id: answerId })).replayed).toBe(true);
    await givenDocument(publisher, { text: 'Tides turn.', docId: 'tides', shareability: 'owner_only' });
    const lost = await proveTwice({ answer_id: answerId });
    expect([lost.jobId === shared.jobId, lost.verdict === 'holds']).toEqual([false, false]);
  });

  it('without a subject is of the last search', async () => {
    const agent = { agent_id: 'searcher' };
    await givenDocument(acme, { text: 'Herons wait.', docId: 'herons' });
    const search = (query: string) => call('query_vault', { query, ...agent });
    await search('herons');
    const first = await proveTwice(agent);
    await search('herons');
    const second = await proveTwice(agent);
    await call('query_vault', { query: 'otters', agent_id: 'another searcher' });
    expect((await prove(agent)).jobId).toBe(second.jobId);
    await givenDocument(acme, { text: 'Herons strike.', docId: 'herons' });
    const third = await proveTwice(agent);
    expect(new Set([first, second, third].map(({ jobId }) => jobId)).size).toBe(3);
    expect([first, second, third].map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'drifted']);
    const subjects = await Promise.all(
      [first, second].map(async ({ jobId }) => (await call('get_proof_status', { job_id: jobId })).result.subject.id),
    );
    expect(new Set(subjects).size).toBe(2);
  });

  it('is refused, and not remembered, where there is nothing to prove yet', async () => {
    const nothing = { mode: 'light', agent_id: 'newcomer' };
    expect((await call('proof_document', nothing)).error).toMatchObject({ code: -32004 });
    expect((await call('proof_document', { ...nothing, artefact_id: 'newcomer/x' })).error.code).toBe(-32004);
    await call('query_vault', { query: 'herons', agent_id: 'newcomer' });
    await givenDocument(acme, { text: 'New here.', corpusId: 'newcomer', docId: 'x' });
    expect((await prove({ agent_id: 'newcomer' })).replayed).toBeUndefined();
    expect((await prove({ agent_id: 'newcomer', artefact_id: 'newcomer/x' })).replayed).toBeUndefined();
  });
});

describe('equal calls without a key', () => {
  it('that come at once have one effect', async () => {
    await givenDocument(acme, { text: 'Wrens sing.', docId: 'wrens' });
    const target = { target_type: 'document', target_id: 'handbook/wrens', agent_id: 'crowd' };
    const wanted: [string, object, string][] = [
      ['watch_answer', target, 'watchId'],
      ['proof_document', { mode: 'light', artefact_id: 'handbook/wrens', agent_id: 'crowd' }, 'jobId'],
    ];
    for (const [tool, params, id] of wanted) {
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => call(tool, params)));
      const done = outcomes.filter(({ result }) => result);
      expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(done.map(({ result }) => result[id])).size).toBe(1);
      for (const { error } of outcomes.filter((one) => one.error))
        expect(error).toMatchObject({ code: -32005, data: { type: 'IdempotencyInProgress', retryable: true } });
    }
    expect((await acme.call('GET', '/v1/watches?agentId=crowd')).body.watches).toHaveLength(1);
    expect(await api.database.query(`select 1 from proof_job where agent_id = 'crowd'`)).toHaveLength(1);
  });

  it('are the same over processes and restarts, and of each caller its own', async () => {
    const params = { target_type: 'document', target_id: 'handbook/wrens', agent_id: 'long-lived' };
    const first = await watch(params);
    await tools.close();
    tools = await startTools(api, { env });
    expect(await watch(params)).toEqual({ ...first, replayed: true });
    const theirs = await watch(params, colleague);
    expect([theirs.replayed, theirs.result.watchId === first.result.watchId]).toEqual([undefined, false]);
    await call('unwatch_answer', { watch_id: first.result.watchId });
    await tools.close();
    tools = await startTools(api, { env });
    expect((await watch(params)).replayed).toBeUndefined();
  });

  it('are decided on once where they wait for an approval', async () => {
    const blocked = { scope: 'action', target: 'watch_answer', mode: 'require_approval', reason: 'Looked at' };
    const { body: killSwitch } = await acme.call('POST', '/v1/shield/kill-switches', blocked);
    const params = { target_type: 'document', target_id: 'handbook/wrens', agent_id: 'approved' };
    const asked = await watch(params);
    const { approvalRequestId } = asked.error.data;
    const resolved = await colleague.call('POST', `/v1/shield/approvals/${approvalRequestId}/resolve`, {
      decision: 'approve',
      reason: 'Fine',
    });
    const done = await watch({ ...params, shield_approval_token: resolved.body.approvalToken });
    expect(done).toMatchObject({ result: { active: true }, replayed: undefined });
    // A repeat needs no approval; once the watch has ended it is another call, which does.
    expect(await watch(params)).toEqual({ ...done, replayed: true });
    await call('unwatch_answer', { watch_id: done.result.watchId });
    expect((await watch(params)).error).toMatchObject({ code: -32002 });
    await acme.call('DELETE', `/v1/shield/kill-switches/${killSwitch.killSwitchId}?reason=done`);
  });
});

describe('a repeat is marked', () => {
  const tip = () => ({ agent_id: 'tipper', credits: 1, idempotency_key: crypto.randomUUID() });

  it('where the key was sent as well, next to the members of the result', async () => {
    const params = tip();
    const first = await call('tip_platform', params);
    expect(first.replayed).toBeUndefined();
    expect(await call('tip_platform', params)).toEqual({ ...first, replayed: true });
    const asTool = async (args: object) =>
      (
        await send(tools.url, 'POST', '/rpc', line('tools/call', { name: 'tip_platform', arguments: args }), {
          ...credentialOf(acme),
        })
      ).body.result;
    const again = await asTool(params);
    expect(again).toEqual({
      content: [{ type: 'text', text: JSON.stringify(first.result) }],
      structuredContent: first.result,
      isError: false,
      replayed: true,
    });
    expect(Object.keys(await asTool(tip()))).toEqual(['content', 'structuredContent', 'isError']);
  });

  it('for each call of a batch on its own', async () => {
    const params = tip();
    await call('tip_platform', params);
    const batch = [line('tip_platform', params, 'old'), line('tip_platform', tip(), 'new')];
    const { body } = await send(tools.url, 'POST', '/rpc', batch, credentialOf(acme));
    expect(body.map(({ id, result }: any) => [id, result.replayed])).toEqual([
      ['old', true],
      ['new', undefined],
    ]);
  });

  it.each(REVISIONS)('over MCP (%s) in _meta, with the structured content as it was', async (revision) => {
    const client = await connect(tools.url, acme, { revision });
    await client.listTools();
    const params = { name: 'tip_platform', arguments: tip() };
    const first = await client.callTool(params);
    expect(first._meta?.['svc/replayed']).toBeUndefined();
    const again = await client.callTool(params);
    expect(again._meta).toMatchObject({ 'svc/replayed': true });
    expect([again.structuredContent, again.content]).toEqual([first.structuredContent, first.content]);

    const target = { target_type: 'document', target_id: 'handbook/wrens', agent_id: `mcp-${revision}` };
    const watchOnce = () => client.callTool({ name: 'watch_answer', arguments: target });
    const made = await watchOnce();
    expect([(await watchOnce())._meta?.['svc/replayed'], made._meta?.['svc/replayed']]).toEqual([true, undefined]);
    const { watchId } = made.structuredContent as { watchId: string };
    await client.callTool({ name: 'unwatch_answer', arguments: { watch_id: watchId } });
    const renewed = await watchOnce();
    expect(renewed._meta?.['svc/replayed']).toBeUndefined();
    expect(renewed.structuredContent).toMatchObject({ active: true });
    expect((renewed.structuredContent as { watchId: string }).watchId).not.toBe(watchId);
    await client.close();
  });

  it('by no tool of the API whose own answer has a member of that name', async () => {
    const { body } = await send(tools.url, 'GET', '/capabilities?tool_set=api', undefined, credentialOf(acme));
    for (const { name, outputSchema } of body.tools)
      expect([name, 'replayed' in outputSchema.properties]).toEqual([name, false]);
  });
});

describe('members of objects in parameters', () => {
  const survey = async (answers: object[], tenant: TestTenant) =>
    call('submit_feedback_survey', { answers, idempotency_key: crypto.randomUUID() }, tenant);

  it('are taken in snake_case, and in the spelling before, but not in both', async () => {
    const own = { query: 'opening hours', corpus_ids: ['handbook'], include_commons: false, min_score: 0.5 };
    const former = { query: 'opening hours', corpusIds: ['handbook'], includeCommons: false, minScore: 0.5 };
    const asked = { target_type: 'query', agent_id: 'speller' };
    const made = await watch({ ...asked, query: own });
    expect(made.result.query).toEqual({ limit: 10, ...former });
    expect(await watch({ ...asked, query: former })).toEqual({ ...made, replayed: true });
    const both = await watch({ ...asked, query: { ...own, corpusIds: ['handbook'] } });
    expect(both.error.data.issues).toEqual([
      {
        path: 'params.query.corpusIds',
        message: 'is the former spelling of corpus_ids, which is there too; send corpus_ids alone',
      },
    ]);
  });

  it('are named in errors as they are written', async () => {
    const tenant = { ...acme, call: caller(api.url, acme.tenantId, acme.apiKey) };
    const refused = await survey([{ question_id: 'no such question', scale: 1 }], tenant);
    expect(refused.error.data.issues[0]).toMatchObject({ path: 'params.answers[0].question_id' });
    const missing = await survey([{ scale: 1 }], tenant);
    expect(missing.error.data.issues).toEqual([{ path: 'params.answers[0].question_id', message: 'is required' }]);
    expect(JSON.stringify([refused, missing])).not.toContain('questionId');
  });
});

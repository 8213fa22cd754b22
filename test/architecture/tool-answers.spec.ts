import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOL_NAMES, type ToolName } from '../../src/common/contract/tool-names.js';
import { SurveyFolder } from '../../src/modules/continuity/feedback/survey-folder.js';
import { readArguments, requestOf } from '../../src/rpc/tools/tool-arguments.js';
import { makeServiceTools } from '../../src/rpc/tools/service-tools.js';
import { ingested } from '../medium/ingest/given.js';
import { send, startApi, type TestApi, type TestTenant } from '../kit/app.js';

const registry = makeServiceTools();
/** Strict about formats as well: so are clients of the Model Context Protocol. */
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const answered = new Set<ToolName>();

let api: TestApi;
let publisher: TestTenant;
beforeAll(async () => {
  api = await startApi({ env: { FEATURE_SELF_SIGNUP: '1' } });
  publisher = await api.addTenant('publisher');
});
afterAll(() => api.close());

/** Calls the route that the tool stands for, and holds the answer against the tool's output schema. */
async function call(name: ToolName, params: object = {}, tenant: TestTenant = api.tenant): Promise<any> {
  const tool = registry.find(name)!;
  const { args, idempotencyKey, sessionToken } = readArguments(tool, params);
  const { method, path, body } = requestOf(tool, args);
  const sent =
    tool.credential === 'caller'
      ? await tenant.call(method, path, body, idempotencyKey ? { 'x-idempotency-key': idempotencyKey } : {})
      : await send(api.url, method, path, body, sessionToken ? { authorization: `Bearer ${sessionToken}` } : {});
  expect([name, sent.status < 300, sent.body.detail]).toEqual([name, true, undefined]);
  const validate = ajv.compile(tool.definition.outputSchema);
  const faults = validate(sent.body) ? [] : validate.errors!.map((one) => `${one.instancePath} ${one.message}`);
  expect([name, faults]).toEqual([name, []]);
  answered.add(name);
  return sent.body;
}

async function until<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
  }
}

const key = () => ({ idempotency_key: crypto.randomUUID() });

describe('what the API answers fits the output schema of', () => {
  let chunkId: string;
  const answerId = 'answer-1';

  it('query_vault, in every lane', async () => {
    for (const docId of ['leave', 'travel'])
      await ingested(api.tenant, { corpusId: 'handbook', docId, content: `The ${docId} of wombats is settled.` });
    for (const lane of ['light', 'verified', 'audit']) {
      const { results } = await call('query_vault', { query: 'wombats', lane, agent_id: 'scribe' });
      chunkId = results.find(({ docId }: any) => docId === 'leave').chunkId;
    }
    expect((await call('query_vault', { query: 'wombats', corpus_ids: ['none'] })).results).toEqual([]);
  });

  it('the tools of proofs', async () => {
    const cited = { agentId: 'scribe', answerId, citations: [{ chunkId }], idempotencyKey: 'cite-once' };
    expect((await api.tenant.call('POST', '/v1/citations', cited, { 'x-idempotency-key': '' })).status).toBe(201);
    for (const params of [
      { answer_id: answerId, metadata: { ticket: 7 } },
      { artefact_id: 'handbook/leave', ticket: 7 },
    ]) {
      const { jobId } = await call('proof_document', { agent_id: 'scribe', mode: 'audit', ...params, ...key() });
      const isDone = ({ status }: any) => status === 'completed' || status === 'failed';
      const { receiptId, status } = await until(() => call('get_proof_status', { job_id: jobId }), isDone);
      expect(status).toBe('completed');
      expect((await call('get_proof_chunks', { job_id: jobId })).chunks).not.toEqual([]);
      await call('get_proof_receipt', { job_id: jobId });
      await call('get_proofpack', { receipt_id: receiptId });
    }
    await call('get_proof_receipt', { answer_id: answerId });
  });

  it('the tools of watches', async () => {
    const watch = await call('watch_answer', { answer_id: answerId, note: 'Keep it right', ...key() });
    const query = { query: 'wombats' };
    const asked = await call('watch_answer', {
      ...{ target_type: 'query', query, webhook_url: 'http://127.0.0.1:9/nowhere' },
      ...key(),
    });
    expect(asked.webhook.secret).toEqual(expect.any(String));
    await ingested(api.tenant, { corpusId: 'handbook', docId: 'leave', content: 'Now the wombats leave by train.' });
    for (const watch_id of [watch.watchId, asked.watchId])
      await until(
        () => call('get_watch_alerts', { watch_id }),
        ({ alerts }) => alerts.length > 0,
      );
    expect((await call('get_watches')).watches).toHaveLength(2);
    await call('unwatch_answer', { watch_id: watch.watchId, ...key() });
    expect((await call('get_watches', { active: false })).watches).toHaveLength(1);
  });

  it('the tools of an agent that goes on', async () => {
    const pinned = { kind: 'goal', name: 'leave', content: { text: 'Answer on leave' }, pins: [{ answerId }] };
    expect((await api.tenant.call('POST', '/v1/home/scribe/primitives', pinned)).status).toBe(201);
    await ingested(api.tenant, { corpusId: 'handbook', docId: 'travel', content: 'Travel is another matter now.' });
    await ingested(api.tenant, { corpusId: 'handbook', docId: 'leave', content: 'Leave is another matter now.' });
    expect((await call('get_journal', { agent_id: 'scribe', order: 'oldest' })).entries).not.toEqual([]);
    expect((await call('get_stale_pins', { agent_id: 'scribe' })).stale_pins).not.toEqual([]);
    expect((await call('get_session_context', { agent_id: 'scribe' })).stale_pins).not.toEqual([]);
    expect((await call('get_journal', { agent_id: 'nobody' })).entries).toEqual([]);
  });

  it('the tools of the economy', async () => {
    await call('get_subscription_discount_preview', { agent_id: 'scribe', credits: 100 });
    expect((await call('get_subscription_discount_preview', { credits: 1_000_000 })).accepted).toBe(false);
    await call('convert_credits_to_discount', { agent_id: 'scribe', credits: 100, ...key() });
    await call('tip_platform', { agent_id: 'scribe', credits: 3, ...key() });
    await call('tip_platform', { agent_id: 'scribe', credits: 3, message: 'Thank you', ...key() });
    await call('get_credit_balance', { agent_id: 'scribe' });
    expect((await call('get_credit_escrow', { agent_id: 'scribe' })).items).toHaveLength(1);
    await call('get_economy_dashboard', { agent_id: 'scribe', days: 2 });
  });

  it('the tools of bundles', async () => {
    await ingested(publisher, { corpusId: 'law', docId: 'law', content: 'The law.', shareability: 'entitled_only' });
    const offer = { title: 'Law', description: 'All of it', corpora: ['law'], priceCredits: 10 };
    await publisher.call('POST', '/v1/bundles', offer);
    const { bundles } = await call('browse_bundles', { corpus: 'law', entitled: false });
    const { bundleId, priceCredits } = bundles[0];
    await call('purchase_bundle', { bundle_id: bundleId, expected_price: priceCredits, ...key() });
  });

  it('the tools of feedback', async () => {
    const { requestId } = await call('submit_feature_request', { title: 'Export as PDF', body: 'For print', ...key() });
    expect((await call('vote_feature_request', { request_id: requestId, ...key() })).changed).toBe(true);
    expect((await call('get_feature_requests', { q: 'PDF', order: 'votes' })).requests).toHaveLength(1);
    const worth = { subject: 'pdf', amount_minor: 1250, currency: 'GBP', period: 'monthly', request_id: requestId };
    await call('declare_revenue_willingness', { ...worth, ...key() });
    const { surveys } = await new SurveyFolder(undefined).read();
    const { questions } = surveys.find(({ tiers }) => tiers.includes('team'))!;
    const answers = questions.map((question) => {
      const { questionId, kind } = question;
      if (kind === 'scale') return { questionId, scale: question.max };
      if (kind === 'text') return { questionId, text: 'Nothing' };
      const { id } = question.options[0]!;
      return kind === 'single_choice' ? { questionId, choice: id } : { questionId, choices: [id] };
    });
    const [{ questionId, ...answer }] = answers as [(typeof answers)[0]];
    expect((await call('respond_to_survey', { question_id: questionId, ...answer, ...key() })).status).toBe('partial');
    expect((await call('submit_feedback_survey', { answers, ...key() })).status).toBe('complete');
  });

  it('the public tools', async () => {
    const { sessionToken } = await call('register_agent', { agent_framework: 'langgraph' });
    await call('request_sponsor', { session_token: sessionToken });
  });

  it('every tool', () => {
    expect([...answered].sort()).toEqual([...TOOL_NAMES].sort());
  });
});

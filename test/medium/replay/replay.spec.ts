import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCanonical, toCbor } from '../../../src/evidence/cbor.js';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { givenDocument, retrieve } from '../citations/given.js';
import { givenAnswer } from '../proofs/given.js';

/** The api and the daemon on one database: what the one records, the other replays. */
let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let call: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database });
  acme = api.tenant;
  call = daemon.as({ scopes: 'replay:answer', tenant: acme.tenantId });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const REPLAY_KEYS = [
  'agent_required',
  'answer_id',
  'as_attested',
  'capsule',
  'evidence',
  'llm_required',
  'mode',
  'receipt_check',
  'rendered_answer',
  'schema',
  'status',
  'stored_answer',
  'tenant_id',
];
const VALIDITY_KEYS = [
  'agent_required',
  'answer_id',
  'capsule_hash',
  'current_answer',
  'drift_categories',
  'evidence',
  'historical_answer',
  'historical_replay_available',
  'living_objects',
  'llm_required',
  'overall',
  'projection_modules',
  'render_strategy',
  'schema',
  'semantic_profile',
  'stale',
  'tenant_id',
];

const replay = (answerId: string, more = '') =>
  call('GET', `/v1/replay/answers/${answerId}?tenant_id=${acme.tenantId}${more}`);
const validity = async (answerId: string, more = '') => {
  const answer = await call('GET', `/v1/replay/answers/${answerId}/validity?tenant_id=${acme.tenantId}${more}`);
  expect(answer.status).toBe(200);
  return answer.body;
};

/** Changes rows as the owner of the database: no role of the application may. */
async function tamper(sql: string): Promise<void> {
  const owner = new Client({ connectionString: api.database.superuserUrl });
  await owner.connect();
  await owner.query(sql);
  await owner.end();
}

let corpora = 0;
/** An answer that cites the only passage of a document of a corpus of its own. */
async function givenCitedDocument(text: string, owner = acme, shareability?: 'public_safe') {
  const corpusId = `corpus-${++corpora}`;
  const document = { text, corpusId, docId: 'doc', ...(shareability ? { shareability } : {}) };
  await givenDocument(owner, document);
  const request = { corpusIds: [corpusId], includeCommons: owner !== acme };
  const [found] = await retrieve(acme, text, request);
  const answerId = await givenAnswer(acme, [found.chunkId], { answerText: `It is so: ${text}` });
  return { corpusId, answerId, chunkId: found.chunkId };
}

describe('the replay of an answer', () => {
  it('recorded through the tenant API has all of it, made of the records alone', async () => {
    await givenDocument(acme, { text: 'Leave is granted on request. It is paid.', docId: 'leave' });
    const request = { corpusIds: ['handbook'], includeCommons: false, agentId: 'a' };
    const [found] = await retrieve(acme, 'is leave paid', request);
    const key = crypto.randomUUID();
    const citations = [{ chunkId: found.chunkId, quote: 'It is paid.', note: 'as asked' }, { chunkId: found.chunkId }];
    const recorded = await acme.call(
      'POST',
      '/v1/citations',
      { agentId: 'a', answerId: 'leave?', idempotencyKey: key, citations, answerText: 'Yes, it is paid.' },
      { 'x-idempotency-key': key },
    );
    const { status, body } = await replay(encodeURIComponent('leave?'));
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(REPLAY_KEYS);
    expect(body).toMatchObject({
      schema: 'svc.answer-replay/1',
      tenant_id: acme.tenantId,
      answer_id: 'leave?',
      status: 'recorded',
      mode: 'historical',
      receipt_check: 'OK',
      as_attested: true,
      stored_answer: 'Yes, it is paid.',
      agent_required: false,
      llm_required: false,
    });
    const { capsule_hash, ...members } = body.capsule;
    expect(capsule_hash).toBe(blake3Digest(encodeCanonical(toCbor(members))));
    expect(members).toMatchObject({
      version: 1,
      agent_id: 'a',
      answer_hash: blake3Digest('Yes, it is paid.'),
      receipt_id: recorded.body.receiptId,
      search: { retrieval_id: recorded.body.retrievalId, lane: 'light', receipt_id: null },
      citations: [
        {
          ordinal: 0,
          chunk_id: found.chunkId,
          doc_version: 1,
          source: 'tenant',
          quote_hash: blake3Digest('It is paid.'),
        },
        { ordinal: 1, start: null, quote_hash: null },
      ],
    });
    expect(body.evidence[0]).toEqual({
      ordinal: 0,
      chunk_id: found.chunkId,
      corpus_id: 'handbook',
      doc_id: 'leave',
      doc_version: 1,
      source: 'tenant',
      title: 'About leave',
      url: 'https://example.org/leave',
      content: found.content,
      content_hash: blake3Digest(found.content),
      hash_holds: true,
      start: 29,
      end: 40,
      quote: 'It is paid.',
      quote_holds: true,
      note: 'as asked',
      receipt_ids: [recorded.body.receiptId],
    });
    expect(body.rendered_answer).toBe(
      [
        'Yes, it is paid.',
        '',
        'Citations',
        '[1] "It is paid." (About leave, handbook/leave, version 1); as asked',
        `[2] "${found.content}" (About leave, handbook/leave, version 1)`,
      ].join('\n'),
    );
    expect((await replay(encodeURIComponent('leave?'))).text).toBe(JSON.stringify(body));
  });

  it('names the receipts of the search behind it, and repeats that search in its lane', async () => {
    await givenDocument(acme, { text: 'Audited wombats are brown.', corpusId: 'audited' });
    const [found] = await retrieve(acme, 'wombats', { corpusIds: ['audited'], includeCommons: false, lane: 'audit' });
    const answerId = await givenAnswer(acme, [found.chunkId]);
    const { body } = await replay(answerId);
    const { receipt_id, execution_receipt_id, lane } = body.capsule.search;
    expect([lane, receipt_id]).toEqual(['audit', expect.stringMatching(/^blake3:/)]);
    expect(body.evidence[0].receipt_ids).toEqual([body.capsule.receipt_id, receipt_id, execution_receipt_id]);
    expect(body).toMatchObject({ stored_answer: null, agent_required: true, llm_required: true });
    expect(body.rendered_answer).toMatch(/^Citations\n\[1\] "Audited wombats/);
    expect(await validity(answerId)).toMatchObject({
      overall: 'holds',
      current_answer: { ranking: 'repeated' },
      agent_required: true,
    });
  });

  it('of a version that was followed by another is what it was, and says so', async () => {
    const { answerId, chunkId } = await givenCitedDocument('Numbats eat termites.');
    const again = crypto.randomUUID();
    const second = {
      agentId: 'default-agent',
      answerId,
      idempotencyKey: again,
      citations: [{ chunkId }],
      answerText: 'Again.',
    };
    await acme.call('POST', '/v1/citations', second, { 'x-idempotency-key': again });
    expect((await replay(answerId)).body).toMatchObject({
      status: 'recorded',
      stored_answer: 'Again.',
      capsule: { version: 2 },
    });
    const first = (await replay(answerId, '&version=1')).body;
    expect(first).toMatchObject({ status: 'superseded', stored_answer: 'It is so: Numbats eat termites.' });
    expect(await validity(answerId, '&version=1')).toMatchObject({
      overall: 'holds',
      capsule_hash: first.capsule.capsule_hash,
      historical_answer: { version: 1, as_attested: true },
      current_answer: { version: 2, text: 'Again.', is_historical: false },
    });
    expect((await replay(answerId, '&version=3')).status).toBe(404);
  });
});

describe('the validity of an answer', () => {
  it('whose sources are as they were', async () => {
    const { answerId, corpusId, chunkId } = await givenCitedDocument('Quolls hunt at night.');
    const body = await validity(answerId);
    expect(Object.keys(body).sort()).toEqual(VALIDITY_KEYS);
    expect(body).toMatchObject({
      schema: 'svc.answer-validity/1',
      overall: 'holds',
      stale: false,
      drift_categories: [],
      capsule_hash: (await replay(answerId)).body.capsule.capsule_hash,
      historical_replay_available: true,
      historical_answer: { version: 1, receipt_check: 'OK', as_attested: true },
      current_answer: { version: 1, is_historical: true, ranking: 'repeated' },
      projection_modules: ['answers', 'receipts', 'documents', 'search'],
      semantic_profile: 'lexical',
      agent_required: false,
      llm_required: false,
    });
    expect(body.evidence).toEqual([
      {
        ordinal: 0,
        chunk_id: chunkId,
        corpus_id: corpusId,
        doc_id: 'doc',
        source: 'tenant',
        content_hash: expect.stringMatching(/^blake3:/),
        hash_holds: true,
        source_intact: true,
        state: 'holds',
        drift: [],
        recorded_rank: 1,
        rank: 1,
      },
    ]);
    expect(body.living_objects).toEqual([
      {
        corpus_id: corpusId,
        doc_id: 'doc',
        source: 'tenant',
        recorded_version: 1,
        current_version: 1,
        state: 'holds',
      },
    ]);
    expect(body.current_answer.rendered).toBe(body.historical_answer.rendered);
  });

  it('whose source has changed', async () => {
    const { answerId, corpusId } = await givenCitedDocument('Bilbies have long ears.');
    const before = (await replay(answerId)).body;
    await givenDocument(acme, { text: 'Bilbies have very long ears indeed.', corpusId, docId: 'doc' });
    const body = await validity(answerId);
    expect(body).toMatchObject({
      overall: 'drifted',
      stale: true,
      drift_categories: ['source_changed'],
      historical_replay_available: true,
      living_objects: [{ recorded_version: 1, current_version: 2, state: 'drifted' }],
      evidence: [{ state: 'drifted', drift: ['source_changed'], source_intact: true }],
    });
    expect(body.current_answer.rendered).toContain('no longer in the document, which has version 2 now');
    expect((await replay(answerId)).body).toEqual(before);
  });

  it('whose document has a new version with the same words still stands', async () => {
    const { answerId, corpusId } = await givenCitedDocument('Dunnarts are small.');
    await acme.call('POST', '/v1/ingest', {
      tenantId: acme.tenantId,
      corpusId,
      docId: 'doc',
      title: 'Another title',
      content: 'Dunnarts are small.',
      url: 'https://example.org/doc',
      shareability: 'owner_only',
    });
    await expect
      .poll(async () => (await validity(answerId)).living_objects[0].current_version, { timeout: 20_000 })
      .toBe(2);
    expect(await validity(answerId)).toMatchObject({
      overall: 'holds',
      drift_categories: ['metadata_changed'],
      stale: false,
      evidence: [{ state: 'holds', rank: 1, drift: ['metadata_changed'] }],
    });
  });

  it('whose source is deleted; it is replayed all the same', async () => {
    const { answerId, corpusId } = await givenCitedDocument('Potoroos dig for fungi.');
    const before = (await replay(answerId)).body;
    await acme.call('DELETE', `/v1/documents/${corpusId}/doc`);
    expect(await validity(answerId)).toMatchObject({
      overall: 'unavailable',
      stale: true,
      drift_categories: ['source_deleted'],
      historical_replay_available: true,
      living_objects: [{ current_version: null, state: 'unavailable' }],
    });
    expect((await replay(answerId)).body).toEqual(before);
  });

  it('whose passage is found at another place', async () => {
    const { answerId, corpusId } = await givenCitedDocument('Quokkas smile at visitors of the island.');
    await givenDocument(acme, {
      text: 'Quokkas smile at visitors of the island. Quokkas smile at visitors of the island.',
      corpusId,
      docId: 'better',
    });
    const body = await validity(answerId);
    expect(body).toMatchObject({
      overall: 'holds',
      stale: false,
      drift_categories: ['re_ranked'],
      evidence: [{ state: 'holds', drift: ['re_ranked'], recorded_rank: 1, rank: 2 }],
      living_objects: [{ state: 'holds' }],
    });
  });

  it('whose source another tenant shared and shares no longer; its owner is never revealed', async () => {
    const publisher = await api.addTenant(`publisher-${Math.random().toString(36).slice(2, 8)}`);
    const text = 'Possums live in roofs of the commons.';
    const { answerId, corpusId } = await givenCitedDocument(text, publisher, 'public_safe');
    const shared = await validity(answerId);
    expect(shared).toMatchObject({ overall: 'holds', evidence: [{ source: 'commons', state: 'holds' }] });
    await givenDocument(publisher, { text, corpusId, docId: 'doc', shareability: 'owner_only' });
    const lost = await validity(answerId);
    expect(lost).toMatchObject({
      overall: 'unavailable',
      drift_categories: ['access_lost'],
      evidence: [{ source: 'commons', state: 'unavailable', source_intact: null }],
      living_objects: [{ source: 'commons', current_version: null }],
    });
    const texts = [shared, lost, (await replay(answerId)).body].map((body) => JSON.stringify(body)).join();
    expect(texts).not.toContain(publisher.tenantId);
  });

  it('whose records were tampered with is broken', async () => {
    const { answerId, chunkId } = await givenCitedDocument('Echidnas lay eggs.');
    await tamper(`update chunk set content = 'Echidnas lay bricks.' where chunk_id = '${chunkId}'`);
    expect(await validity(answerId)).toMatchObject({
      overall: 'broken',
      historical_replay_available: true,
      evidence: [{ source_intact: false, hash_holds: true }],
    });
    await tamper(`update chunk set content = 'Echidnas lay eggs.' where chunk_id = '${chunkId}'`);
    expect((await validity(answerId)).overall).toBe('holds');
    await tamper(`update citation set content = 'Echidnas lay bricks.' where answer_id = '${answerId}'`);
    expect(await validity(answerId)).toMatchObject({ overall: 'broken', historical_replay_available: false });
    expect((await replay(answerId)).body.evidence[0]).toMatchObject({ hash_holds: false });
    await tamper(`update citation set content = 'Echidnas lay eggs.' where answer_id = '${answerId}'`);
    await tamper(`update answer set answer_text = 'Something else.' where answer_id = '${answerId}'`);
    expect(await validity(answerId)).toMatchObject({
      overall: 'broken',
      historical_answer: { as_attested: false, receipt_check: 'OK' },
    });
    expect((await replay(answerId)).body).toMatchObject({
      stored_answer: 'Something else.',
      as_attested: false,
      receipt_check: 'OK',
    });
  });
});

describe('the row of an answer', () => {
  it('that says another time, writer or agent than its receipt makes it broken', async () => {
    const { answerId } = await givenCitedDocument('Numbats have stripes.');
    const change = (set: string) => tamper(`update answer set ${set} where answer_id = '${answerId}'`);
    const [row] = await api.database.query<{ recorded_by: string }>(
      `select recorded_by from answer where answer_id = '${answerId}'`,
    );
    for (const [altered, back] of [
      [`recorded_at = recorded_at - interval '300 days'`, `recorded_at = recorded_at + interval '300 days'`],
      [`recorded_by = 'key:evil'`, `recorded_by = '${row!.recorded_by}'`],
      [`agent_id = 'evil-agent'`, `agent_id = 'default-agent'`],
    ] as const) {
      await change(altered);
      const changed = { as_attested: false, receipt_check: 'OK' };
      expect(await validity(answerId)).toMatchObject({ overall: 'broken', historical_answer: changed });
      expect((await replay(answerId)).body).toMatchObject({ status: 'recorded', ...changed });
      await change(back);
      expect(await validity(answerId)).toMatchObject({ overall: 'holds', historical_answer: { as_attested: true } });
    }
  });

  it('is as attested where its receipt names the session of the request', async () => {
    const corpusId = 'in-session';
    await givenDocument(acme, { text: 'Cuscuses sleep in trees.', corpusId });
    const [found] = await retrieve(acme, 'cuscuses', { corpusIds: [corpusId], includeCommons: false });
    const body = { agentId: 'a', answerId: 'in-session', idempotencyKey: 'in-session', answerText: 'In trees.' };
    const recorded = await acme.call(
      'POST',
      '/v1/citations',
      { ...body, citations: [{ chunkId: found.chunkId }] },
      { 'x-idempotency-key': 'in-session', 'x-svc-session-id': 'session-1' },
    );
    expect(recorded.status).toBe(201);
    expect(await validity('in-session')).toMatchObject({ overall: 'holds', historical_answer: { as_attested: true } });
  });
});

describe('an answer whose passage its ingest contradicts', () => {
  it('is broken, though it was altered with its hash before it was cited', async () => {
    const corpusId = 'forged';
    await givenDocument(acme, { text: 'Quolls sleep by day.', corpusId });
    const [found] = await retrieve(acme, 'quolls', { corpusIds: [corpusId], includeCommons: false });
    const forged = 'Quolls sleep by night.';
    const hash = blake3Digest(forged).slice('blake3:'.length);
    await tamper(
      `update chunk set content = '${forged}', content_hash = decode('${hash}', 'hex') where chunk_id = '${found.chunkId}'`,
    );
    const answerId = await givenAnswer(acme, [found.chunkId]);
    expect(await validity(answerId)).toMatchObject({
      overall: 'broken',
      evidence: [{ source_intact: false, hash_holds: true, state: 'holds' }],
    });
  });
});

describe('a replay is refused', () => {
  const path = (more: string) => `/v1/replay/answers/answer-1${more}`;

  it('for an answer nobody recorded, a shard that is not here, and what is not asked rightly', async () => {
    const unknown = await replay('nobody-said-so');
    expect([unknown.status, unknown.body]).toMatchObject([
      404,
      { code: 'ANSWER_UNKNOWN', answer_id: 'nobody-said-so' },
    ]);
    const { answerId } = await givenCitedDocument('Gliders glide.');
    expect((await replay(answerId, '&shard_id=main')).status).toBe(200);
    const elsewhere = await replay(answerId, '&shard_id=other');
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'SHARD_UNKNOWN']);
    for (const query of ['', `?tenant_id=${acme.tenantId}&version=0`, `?tenant_id=${acme.tenantId}&x=1`]) {
      expect((await call('GET', path(query))).status).toBe(400);
      expect((await call('GET', path(`/validity${query}`))).status).toBe(400);
    }
  });

  it('for a tenant that the credential does not cover, unless an admin scope opened the route', async () => {
    const { answerId } = await givenCitedDocument('Bettongs build nests.');
    const of = (scopes: string, tenant: string) => daemon.as({ scopes, tenant });
    for (const more of ['', '/validity']) {
      const address = `/v1/replay/answers/${answerId}${more}?tenant_id=${acme.tenantId}`;
      const refused = await of('replay:answer', 'other')('GET', address);
      expect([refused.status, refused.body.code]).toEqual([403, 'TENANT_MISMATCH']);
      expect((await of('admin:read', 'other')('GET', address)).status).toBe(200);
      expect((await of('query:read', acme.tenantId)('GET', address)).status).toBe(403);
      const other = await of('replay:answer', 'other')('GET', address.replace(acme.tenantId, 'other'));
      expect(other.status).toBe(404);
    }
  });
});

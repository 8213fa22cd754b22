import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ended, givenAnswer, givenDocument, outcomes, prove, retrieve } from './given.js';

const LEAVE = 'Every member of staff has 25 days of annual leave.';
const TRAVEL = 'Travel by rail is paid for staff on business.';

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await api.addTenant('other');
  await givenDocument(acme, { text: LEAVE });
  await givenDocument(acme, { text: TRAVEL, docId: 'travel' });
});
afterAll(() => api.close());

const post = (body: object, headers: Record<string, string> = {}, tenant = acme) =>
  tenant.call('POST', '/v1/proof/jobs', body, headers);
const findOne = async (query: string, tenant = acme) => (await retrieve(tenant, query))[0];

const held = (name: string, detail: unknown) => ({ name, ok: true, result: 'ok', detail });

/** Changes rows as the owner of the database would: past row-level security. */
async function tamper(sql: string, parameters: unknown[]): Promise<any[]> {
  const owner = new Client({ connectionString: api.database.superuserUrl });
  await owner.connect();
  await owner.query('set role svc_operator');
  const { rows } = await owner.query(sql, parameters);
  await owner.end();
  return rows;
}

describe('a proof of an answer', () => {
  it('is accepted, runs and holds', async () => {
    const { chunkId } = await findOne('annual leave');
    const answerId = await givenAnswer(acme, [chunkId]);
    const made = await post({ mode: 'light', answerId, metadata: { ticket: 7 }, anything: 'else' });
    const links = (jobId: string, receiptId: string | null) => ({
      self: `/v1/proof/jobs/${jobId}`,
      chunks: `/v1/proof/jobs/${jobId}/chunks`,
      receipt: `/v1/proof/jobs/${jobId}/receipt`,
      proofpack: receiptId && `/v1/proof/receipts/${receiptId}/proofpack`,
    });
    const common = {
      ok: true,
      contract: 'svc-proof/1',
      jobId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      mode: 'light',
      chargedMode: 'light',
      credits: 1,
      driftCategories: [],
      agentId: 'default-agent',
      subject: { type: 'answer', id: answerId, version: 1 },
      error: null,
      createdAt: expect.stringMatching(/Z$/),
      metadata: { ticket: 7 },
    };
    expect([made.status, made.body]).toEqual([
      202,
      {
        ...common,
        status: 'queued',
        verdict: 'pending',
        checks: [],
        chunkCount: null,
        receiptId: null,
        startedAt: null,
        finishedAt: null,
        links: links(made.body.jobId, null),
      },
    ]);
    const job = await ended(acme, made.body.jobId);
    expect(job).toEqual({
      ...common,
      status: 'completed',
      verdict: 'holds',
      checks: [
        ...['exists', 'visible', 'hash', 'content', 'current'].map((name) => held(name, '1 of 1 passages')),
        held('answer', 'text and citations, as its receipt says'),
        { name: 'quotes', ok: true, result: 'not_applicable', detail: 'no text of an answer is recorded' },
      ],
      chunkCount: 1,
      receiptId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      startedAt: expect.stringMatching(/Z$/),
      finishedAt: expect.stringMatching(/Z$/),
      links: links(job.jobId, job.receiptId),
    });
    expect(await api.database.query('select extra from proof_job where job_id = $1', [job.jobId])).toEqual([
      { extra: { anything: 'else' } },
    ]);
  });

  it('shows each passage with its checks', async () => {
    const { chunkId } = await findOne('annual leave');
    const answerId = await givenAnswer(acme, [chunkId], { citations: [{ chunkId, quote: '25 days' }] });
    const job = await prove(acme, { answerId, mode: 'verified' });
    const { body } = await acme.call('GET', job.links.chunks);
    expect(body).toEqual({
      ok: true,
      contract: 'svc-proof/1',
      jobId: job.jobId,
      status: 'completed',
      next_cursor: null,
      chunks: [
        {
          chunkId,
          corpusId: 'handbook',
          docId: 'leave',
          docVersion: 1,
          source: 'tenant',
          title: 'About leave',
          url: 'https://example.org/leave',
          contentHash: blake3Digest(LEAVE),
          content: LEAVE,
          quote: '25 days',
          recordedRank: 1,
          rank: 1,
          score: expect.any(Number),
          checks: [
            held('exists', 'found'),
            held('visible', "the tenant's own document"),
            held('hash', blake3Digest(LEAVE)),
            held('content', expect.stringMatching(/^as receipt [0-9a-f-]{36} of its ingest says$/)),
            held('current', 'in version 1, the newest that has been indexed'),
            held('ranking', 'at place 1, as recorded'),
          ],
        },
      ],
    });
  });

  it('in audit mode also checks ledger and log', async () => {
    const [{ chunkId }] = await retrieve(acme, 'annual leave', { lane: 'audit', agentId: 'auditor' });
    const answerId = await givenAnswer(acme, [chunkId], { agentId: 'auditor' });
    const job = await prove(acme, { answerId, mode: 'audit' });
    expect(outcomes(job.checks)).toEqual({
      exists: 'ok',
      visible: 'ok',
      hash: 'ok',
      content: 'ok',
      current: 'ok',
      answer: 'ok',
      quotes: 'not_applicable',
      ranking: 'ok',
      ledger: 'ok',
      log: 'ok',
    });
    expect([job.chargedMode, job.credits]).toEqual(['audit', 20]);
    expect(job.checks.find(({ name }: { name: string }) => name === 'ledger').detail).toMatch(
      /^\d+ candidates, as the signed receipt/,
    );
    expect(job.checks.find(({ name }: { name: string }) => name === 'log').detail).toMatch(
      /leaves; 3 records in the log$/,
    );
    expect(job.verdict).toBe('holds');
  });

  it('takes the newest version of the answer', async () => {
    const [leave, travel] = [await findOne('annual leave'), await findOne('rail travel')];
    const answerId = await givenAnswer(acme, [leave.chunkId]);
    await givenAnswer(acme, [travel.chunkId, leave.chunkId], { answerId });
    const job = await prove(acme, { artefact_id: answerId });
    expect([job.subject.version, job.chunkCount]).toEqual([2, 2]);
  });

  it('pages through passages', async () => {
    const [leave, travel] = [await findOne('annual leave'), await findOne('rail travel')];
    const cited = [leave.chunkId, travel.chunkId, leave.chunkId];
    const job = await prove(acme, { answerId: await givenAnswer(acme, cited) });
    const first = await acme.call('GET', `${job.links.chunks}?limit=2`);
    const second = await acme.call('GET', `${job.links.chunks}?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.chunks, ...second.body.chunks].map(({ chunkId }) => chunkId)).toEqual(cited);
    expect(second.body.next_cursor).toBeNull();
  });
});

const INTACT = {
  exists: 'ok',
  visible: 'ok',
  hash: 'ok',
  content: 'ok',
  current: 'ok',
  answer: 'ok',
  quotes: 'not_applicable',
};

describe('what a proof finds', () => {
  it('an answer that does not say what its citations quote', async () => {
    const { chunkId } = await findOne('annual leave');
    const citations = [{ chunkId, quote: '25 days' }];
    const said = await givenAnswer(acme, [], { citations, answerText: 'It is 25 Days a year.' });
    const unsaid = await givenAnswer(acme, [], { citations, answerText: 'The moon is made of cheese.' });
    const [holds, broken] = [await prove(acme, { answerId: said }), await prove(acme, { answerId: unsaid })];
    expect([holds.verdict, outcomes(holds.checks).quotes]).toEqual(['holds', 'ok']);
    expect([broken.ok, broken.verdict, outcomes(broken.checks).quotes]).toEqual([false, 'broken', 'failed']);
  });

  it('by which right a passage of others is seen', async () => {
    await givenDocument(other, {
      text: 'Trams leave from the square.',
      corpusId: 'city',
      docId: 'trams',
      shareability: 'public_safe',
    });
    const job = await prove(acme, { artefact_id: (await findOne('trams square')).chunkId });
    const { body } = await acme.call('GET', job.links.chunks);
    expect(body.chunks[0].checks[1]).toEqual(held('visible', 'public_safe; public_safe when it was recorded'));
  });

  it('drift, when the document has changed since', async () => {
    await givenDocument(acme, { text: 'Lunch is at noon.', docId: 'lunch' });
    const { chunkId } = await findOne('lunch noon');
    const answerId = await givenAnswer(acme, [chunkId]);
    await givenDocument(acme, { text: 'Lunch is at one.', docId: 'lunch' });
    const job = await prove(acme, { answerId, mode: 'verified' });
    expect([job.ok, job.status, job.verdict]).toEqual([false, 'completed', 'drifted']);
    expect(outcomes(job.checks)).toEqual({ ...INTACT, current: 'failed', ranking: 'ok' });
    expect(job.driftCategories).toEqual(['source_changed']);
    const receipt = await acme.call('GET', job.links.receipt);
    expect([receipt.body.ok, receipt.body.body.verdict, receipt.body.body.chunks[0].failed]).toEqual([
      false,
      'drifted',
      ['current'],
    ]);
  });

  it('a text that was altered', async () => {
    await givenDocument(acme, { text: 'The safe opens at nine.', docId: 'safe' });
    const { chunkId } = await findOne('safe opens');
    const answerId = await givenAnswer(acme, [chunkId]);
    await tamper('update chunk set content = $2 where chunk_id = $1', [chunkId, 'The safe opens at eight.']);
    const job = await prove(acme, { answerId });
    expect([job.ok, job.verdict]).toEqual([false, 'broken']);
    const { detail } = job.checks.find(({ name }: { name: string }) => name === 'hash');
    expect(detail).toBe(
      `passage ${chunkId}: the text has ${blake3Digest('The safe opens at eight.')}, recorded was ${blake3Digest('The safe opens at nine.')}`,
    );
  });

  it('a text that was altered together with its hash', async () => {
    await givenDocument(acme, { text: 'The vault opens at nine.', docId: 'vault' });
    const { chunkId } = await findOne('vault opens');
    const answerId = await givenAnswer(acme, [chunkId]);
    const forged = 'The vault opens at eight.';
    await tamper('update chunk set content = $2, content_hash = $3 where chunk_id = $1', [
      chunkId,
      forged,
      Buffer.from(blake3Digest(forged).slice(7), 'hex'),
    ]);
    const job = await prove(acme, { answerId });
    expect([job.verdict, outcomes(job.checks)]).toEqual([
      'broken',
      { ...INTACT, hash: 'failed', content: 'failed', current: 'failed' },
    ]);
  });

  it('a passage of the commons that was taken back', async () => {
    await givenDocument(other, {
      text: 'Museums are free on Mondays.',
      corpusId: 'city',
      docId: 'museums',
      shareability: 'public_safe',
    });
    const { chunkId } = await findOne('museums Mondays');
    const answerId = await givenAnswer(acme, [chunkId]);
    expect((await prove(acme, { answerId })).verdict).toBe('holds');
    await tamper(`update chunk set shareability = 'owner_only' where chunk_id = $1`, [chunkId]);
    const job = await prove(acme, { answerId });
    expect([job.verdict, job.driftCategories]).toEqual(['unavailable', ['access_lost']]);
    expect(outcomes(job.checks)).toEqual({
      exists: 'not_applicable',
      visible: 'failed',
      hash: 'not_applicable',
      content: 'not_applicable',
      current: 'not_applicable',
      answer: 'ok',
      quotes: 'not_applicable',
    });
    const { detail } = job.checks.find(({ name }: { name: string }) => name === 'visible');
    expect(detail).toContain('public_safe when it was recorded');
    const { body } = await acme.call('GET', job.links.chunks);
    expect([body.chunks[0].content, body.chunks[0].source]).toEqual([null, 'commons']);
  });

  const LAST = `(select retrieval_id from agent_retrieval where agent_id = 'bookkeeper')`;
  const audited = async (): Promise<string> =>
    (await retrieve(acme, 'rail travel', { lane: 'audit', agentId: 'bookkeeper' }))[0].chunkId;
  const answered = async (chunkId: string): Promise<() => Promise<string[]>> => {
    const answerId = await givenAnswer(acme, [chunkId], { agentId: 'bookkeeper' });
    return async () => {
      const job = await prove(acme, { answerId, mode: 'audit' });
      return [job.verdict, outcomes(job.checks).ledger];
    };
  };

  it('a ledger that was altered', async () => {
    const proved = await answered(await audited());
    expect(await proved()).toEqual(['holds', 'ok']);
    await tamper(
      `update retrieval_ledger set candidate_lines = regexp_replace(candidate_lines, '\\t0\\n', E'\\t1\\n') where retrieval_id = ${LAST}`,
      [],
    );
    expect(await proved()).toEqual(['broken', 'failed']);
  });

  it('a ledger of earlier versions that was altered', async () => {
    const chunkId = await audited();
    const [{ lines }] = await tamper(
      `select candidate_lines as lines from retrieval_ledger where retrieval_id = ${LAST}`,
      [],
    );
    const candidates = lines
      .trim()
      .split('\n')
      .map((line: string) => line.split('\t'))
      .map(([chunkId, score]: string[]) => ({ chunkId, score: Number(score) }));
    const digest = blake3Digest(candidates.map((one: any) => `${one.chunkId}\t${one.score}\n`).join(''));
    const { receiptId } = await api.app.get(Tenancy).run(acme.tenantId, () =>
      api.app.get(EvidenceService).record({
        ...{ kind: 'retrieval.audited', actor: 'key:test', authMode: 'api_key', subject: 'earlier' },
        body: { candidates_digest: digest },
      }),
    );
    await tamper(`update retrieval set execution_receipt_id = $1 where retrieval_id = ${LAST}`, [receiptId]);
    await tamper(
      `update retrieval_ledger set candidate_lines = null, candidates = $1, candidates_digest = decode($2, 'hex') where retrieval_id = ${LAST}`,
      [JSON.stringify(candidates), digest.slice('blake3:'.length)],
    );
    const proved = await answered(chunkId);
    expect(await proved()).toEqual(['holds', 'ok']);
    const last = candidates.length - 1;
    await tamper(
      `update retrieval_ledger set candidates = jsonb_set(candidates, '{${last},score}', '0') where retrieval_id = ${LAST}`,
      [],
    );
    expect(await proved()).toEqual(['broken', 'failed']);
  });
});

describe('other subjects', () => {
  it('a document by corpusId/docId', async () => {
    const job = await prove(acme, { artefact_id: 'handbook/travel', mode: 'audit' });
    expect([job.subject, job.chunkCount, job.verdict]).toEqual([
      { type: 'document', id: 'handbook/travel', version: 1 },
      1,
      'holds',
    ]);
  });

  it('a document whose ids hold slashes', async () => {
    await givenDocument(acme, { text: 'Deep text.', corpusId: 'a/b', docId: '/c' });
    const job = await prove(acme, { artefact_id: 'a/b//c' });
    expect([job.subject.type, job.chunkCount, job.verdict]).toEqual(['document', 1, 'holds']);
  });

  it('a passage', async () => {
    const { chunkId } = await findOne('rail travel');
    const job = await prove(acme, { artefact_id: chunkId, mode: 'verified' });
    expect([job.subject, job.verdict]).toEqual([{ type: 'chunk', id: chunkId, version: null }, 'holds']);
    expect(job.checks.at(-1)).toEqual({
      name: 'ranking',
      ok: true,
      result: 'not_applicable',
      detail: 'no retrieval is recorded with the subject',
    });
    expect([job.chargedMode, job.credits]).toEqual(['light', 1]);
  });

  it("the agent's last retrieval, at once after it", async () => {
    await retrieve(acme, 'annual leave', { agentId: 'hasty' });
    const found = await retrieve(acme, 'staff', { agentId: 'hasty', limit: 2 });
    const job = await prove(acme, { agentId: 'hasty', mode: 'verified' });
    expect([job.subject.type, job.verdict]).toEqual(['retrieval', 'holds']);
    const { body } = await acme.call('GET', job.links.chunks);
    expect(body.chunks.map(({ chunkId, recordedRank, rank }: any) => [chunkId, recordedRank, rank])).toEqual(
      found.map(({ chunkId }, index) => [chunkId, index + 1, index + 1]),
    );
  });

  it('of an agent with as long a name as a retrieval takes, and an answer of it', async () => {
    const agentId = 'a'.repeat(512);
    const [found] = await retrieve(acme, 'annual leave', { agentId });
    const job = await prove(acme, { agentId });
    expect([job.agentId, job.subject.type, job.verdict]).toEqual([agentId, 'retrieval', 'holds']);
    const answerId = await givenAnswer(acme, [found.chunkId], { agentId });
    expect((await prove(acme, { agentId, answerId })).verdict).toBe('holds');
    expect((await post({ mode: 'light', agentId: `${agentId}a` })).status).toBe(400);
  });

  it('an earlier retrieval by its id, under either member', async () => {
    const search = async (query: string, lane: string) =>
      (await acme.call('POST', '/v1/retrieve', { query, lane, agentId: 'thorough' })).body;
    const { results, meta } = await search('annual leave', 'audit');
    await search('travel by rail', 'verified');
    for (const named of [{ retrievalId: meta.retrievalId }, { artefact_id: meta.retrievalId.toUpperCase() }]) {
      const job = await prove(acme, { ...named, mode: 'audit' });
      expect(job).toMatchObject({ verdict: 'holds', chargedMode: 'audit', chunkCount: results.length });
      expect(job.subject).toEqual({ type: 'retrieval', id: meta.retrievalId, version: null });
      expect(outcomes(job.checks)).toMatchObject({ ranking: 'ok', ledger: 'ok', log: 'ok' });
    }
    const theirs = await post({ mode: 'light', retrievalId: meta.retrievalId }, {}, other);
    expect([theirs.status, theirs.body.type, theirs.body.subject]).toEqual([
      404,
      'ProofSubjectUnknown',
      meta.retrievalId,
    ]);
  });

  it.each<[string, object, number, string]>([
    ['an unknown answer', { answerId: 'nobody' }, 404, 'ProofSubjectUnknown'],
    ['an unknown artefact', { artefact_id: 'nowhere/nothing' }, 404, 'ProofSubjectUnknown'],
    ['slashes alone', { artefact_id: '////' }, 404, 'ProofSubjectUnknown'],
    ['an agent that retrieved nothing', { agentId: 'newborn' }, 404, 'ProofSubjectUnknown'],
    ['an unknown retrieval', { retrievalId: 'r-1' }, 404, 'ProofSubjectUnknown'],
    ['a retrieval and a passage', { artefact_id: 'a', retrievalId: 'b' }, 400, 'ValidationFailed'],
    ['two subjects', { answerId: 'a', artefact_id: 'b' }, 400, 'ValidationFailed'],
    ['no mode', { mode: undefined }, 400, 'ValidationFailed'],
    ['an unknown mode', { mode: 'thorough' }, 400, 'ValidationFailed'],
    ['an empty agentId', { agentId: '' }, 400, 'ValidationFailed'],
    ['an answerId that is no text', { answerId: 7 }, 400, 'ValidationFailed'],
    ['metadata that is no object', { metadata: [] }, 400, 'ValidationFailed'],
    ['a short key', { idempotencyKey: '1234567' }, 400, 'IdempotencyKeyRequired'],
    ['another tenant', { tenantId: 'other' }, 403, 'Forbidden'],
  ])('%s is refused', async (_what, members, status, type) => {
    const answer = await post({ mode: 'light', ...members });
    expect([answer.status, answer.body.type]).toEqual([status, type]);
  });
});

describe('the routes', () => {
  it('make one job a key, by header or body', async () => {
    const body = { mode: 'light', artefact_id: 'handbook/leave', idempotencyKey: crypto.randomUUID() };
    const [first, again] = [
      await post(body, { 'x-idempotency-key': '' }),
      await post(body, { 'x-idempotency-key': body.idempotencyKey }),
    ];
    expect([first.status, again.status, again.headers.get('x-idempotency-replayed')]).toEqual([202, 202, 'true']);
    expect(again.body.jobId).toBe(first.body.jobId);
    expect((await post(body)).status).toBe(400);
  });

  it("do not show another tenant's job, answer or receipt", async () => {
    const answerId = await givenAnswer(acme, [(await findOne('annual leave')).chunkId]);
    const job = await prove(acme, { answerId });
    const paths = [
      job.links.self,
      job.links.chunks,
      job.links.receipt,
      job.links.proofpack,
      `/v1/proof/answers/${answerId}/receipt`,
    ];
    const nowhere = ['jobs/x', 'jobs/x/chunks', 'jobs/x/receipt', 'receipts/x/proofpack', 'answers/x/receipt'].map(
      (path) => `/v1/proof/${path}`,
    );
    for (const path of paths) expect([path, (await acme.call('GET', path)).status]).toEqual([path, 200]);
    const theirs = await Promise.all(paths.map((path) => other.call('GET', path)));
    const unknown = await Promise.all(nowhere.map((path) => other.call('GET', path)));
    expect(theirs.map(({ status, body }) => [status, body.type, body.detail])).toEqual(
      unknown.map(({ status, body }) => [status, body.type, body.detail]),
    );
    expect((await post({ mode: 'light', answerId }, {}, other)).status).toBe(404);
  });

  it('answer 404 for ids of any form', async () => {
    for (const id of [
      'x',
      '%00',
      '%F0%9F%8E%89',
      '00000000-0000-0000-0000-000000000000',
      `blake3:${'0'.repeat(64)}`,
      '..%2F..',
    ]) {
      for (const path of [
        `jobs/${id}`,
        `jobs/${id}/chunks`,
        `jobs/${id}/receipt`,
        `answers/${id}/receipt`,
        `receipts/${id}/proofpack`,
      ]) {
        const { status } = await acme.call('GET', `/v1/proof/${path}`);
        expect([path, status === 404 || status === 400]).toEqual([path, true]);
      }
    }
  });

  it('refuse foreign cursors', async () => {
    const job = await prove(acme, { artefact_id: 'handbook/leave' });
    const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const answers = [
      await acme.call('GET', `${job.links.chunks}?cursor=zzz`),
      await acme.call('GET', `${job.links.chunks}?cursor=${cursor(['a'])}`),
      await acme.call('GET', `${job.links.chunks}?cursor=${cursor([1e300])}`),
      await acme.call('GET', `${job.links.chunks}?limit=0`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  it('ask for a credential', async () => {
    expect((await send(api.url, 'POST', '/v1/proof/jobs', { mode: 'light' })).status).toBe(401);
  });

  it('say 412 while the feature is off', async () => {
    const off = await startApi({ database: api.database, env: { FEATURE_PROOFS: '0' } });
    const { status, body } = await off.tenant.call('GET', '/v1/proof/jobs/x');
    await off.close();
    expect([status, body.type, body.feature]).toEqual([412, 'FeatureDisabled', 'FEATURE_PROOFS']);
  });
});

describe('a job that cannot end', () => {
  /** A job about an answer that is not there, which no request can make. */
  async function givenImpossibleJob(): Promise<string> {
    const [row] = await api.database.query<{ job_id: string }>(
      `insert into proof_job (tenant_id, job_id, agent_id, mode, subject_type, subject_id, target, extra, requested_by, auth_mode)
       values ('acme', gen_random_uuid(), 'a', 'light', 'answer', 'gone', '{"type":"answer","answerId":"gone","version":1}', '{}', 'key:1', 'api_key') returning job_id`,
    );
    return row!.job_id;
  }
  const queue = (name: string, jobId: string) =>
    api.database.query(
      `insert into pgboss.job (name, data, retry_limit) values ($1, jsonb_build_object('tenantId', 'acme', 'jobId', $2::text), 0)`,
      [name, jobId],
    );

  it('is unfinished while it waits, and failed when its worker is lost for good', async () => {
    const jobId = await givenImpossibleJob();
    const waiting = await acme.call('GET', `/v1/proof/jobs/${jobId}/receipt`);
    expect([waiting.status, waiting.body.type, waiting.headers.get('retry-after')]).toEqual([
      409,
      'ProofJobUnfinished',
      '1',
    ]);
    await queue('proof.dead', jobId);
    const job = await ended(acme, jobId);
    expect([job.ok, job.status, job.verdict, job.error]).toEqual([
      false,
      'failed',
      'pending',
      'The job was lost with its worker, again and again; make a new one',
    ]);
    const receipt = await acme.call('GET', `/v1/proof/jobs/${jobId}/receipt`);
    expect([receipt.status, receipt.body.type]).toEqual([409, 'ProofJobFailed']);
  });

  it('fails after its last attempt without revealing internals, and leaves nothing half done', async () => {
    const jobId = await givenImpossibleJob();
    await queue('proof', jobId);
    const job = await ended(acme, jobId);
    expect([job.status, job.error, job.receiptId, job.checks]).toEqual([
      'failed',
      'An internal error, recorded in the log of the server',
      null,
      [],
    ]);
    expect(await api.database.query('select 1 from receipt where subject = $1', [jobId])).toEqual([]);
  });

  it('does not hold up its neighbours', async () => {
    const bad = await givenImpossibleJob();
    await queue('proof', bad);
    const good = await prove(acme, { artefact_id: 'handbook/leave' });
    expect([good.status, (await ended(acme, bad)).status]).toEqual(['completed', 'failed']);
  });
});

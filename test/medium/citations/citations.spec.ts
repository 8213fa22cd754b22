import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { caller, send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenDocument, retrieve, type Found } from './given.js';

const TEXT = 'Every member of staff has 25 days of annual leave. Five days may be carried over to March.';

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
let passage: Found;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await api.addTenant('other');
  await givenDocument(acme, { text: TEXT });
  await givenDocument(other, { text: 'The secret sauce is ketchup.', corpusId: 'kitchen', docId: 'sauce' });
  await givenDocument(other, {
    text: 'Public holidays are free.',
    corpusId: 'law',
    docId: 'holidays',
    shareability: 'public_safe',
  });
  passage = (await retrieve(acme, 'annual leave'))[0];
});
afterAll(() => api.close());

let answers = 0;
const recording = (members: object = {}) => {
  const key = crypto.randomUUID();
  return {
    agentId: 'default-agent',
    answerId: `answer-${++answers}`,
    idempotencyKey: key,
    citations: [{ chunkId: passage.chunkId }],
    ...members,
  };
};
/** Sends the body's own key alone: it stands in for the header. */
const cite = (body: object, tenant = acme) => tenant.call('POST', '/v1/citations', body, { 'x-idempotency-key': '' });

/** The query that was kept with a recorded answer. */
async function queryBehind({ body }: Answer): Promise<string | null> {
  const [row] = await api.database.query<{ query: string | null }>(
    `select retrieval->'request'->>'query' as query from answer where receipt_id = $1`,
    [body.receiptId],
  );
  return row!.query;
}

describe('recording citations', () => {
  it('acknowledges what was resolved and recorded', async () => {
    const body = recording({
      citations: [
        { chunkId: passage.chunkId, quote: '25 days', note: 'the rule' },
        { chunkId: passage.chunkId, start: 0, end: 5 },
      ],
      answerText: '25 days.',
    });
    const answer = await cite(body);
    const contentHash = blake3Digest(TEXT);
    const common = {
      chunkId: passage.chunkId,
      corpusId: 'handbook',
      docId: 'leave',
      docVersion: 1,
      contentHash,
      source: 'tenant',
      current: true,
    };
    expect(answer.body).toEqual({
      answerId: body.answerId,
      version: 1,
      agentId: 'default-agent',
      recordedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      receiptId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      answerHash: blake3Digest('25 days.'),
      retrievalId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      citationCount: 2,
      citations: [
        { ...common, start: 26, end: 33, quote: '25 days', note: 'the rule' },
        { ...common, start: 0, end: 5, quote: 'Every', note: null },
      ],
    });
    expect(answer.status).toBe(201);
  });

  it('keeps enough to replay the answer', async () => {
    const body = recording({
      citations: [{ chunkId: passage.chunkId, quote: 'Five days' }],
      answerText: 'Five.',
      metadata: { model: 'm1' },
    });
    await cite(body);
    const rows = await api.database.query(
      `select a.answer_text, a.metadata, a.recorded_by, a.retrieval->'request'->>'query' as query, c.content, c.quote, c.doc_version, c.owner_tenant_id, 'blake3:' || encode(c.content_hash, 'hex') as hash
       from answer a join citation c using (tenant_id, answer_id, version) where answer_id = $1`,
      [body.answerId],
    );
    expect(rows).toEqual([
      {
        answer_text: 'Five.',
        metadata: { model: 'm1' },
        recorded_by: `key:${acme.keyId}`,
        query: 'annual leave',
        content: TEXT,
        quote: 'Five days',
        doc_version: 1,
        owner_tenant_id: 'acme',
        hash: blake3Digest(TEXT),
      },
    ]);
  });

  it('makes a further recording a new version, and keeps the one before', async () => {
    const first = recording();
    const before = await cite(first);
    const after = await cite(recording({ answerId: first.answerId, answerText: 'better' }));
    expect([before.body.version, after.status, after.body.version]).toEqual([1, 201, 2]);
    expect(
      await api.database.query('select version, receipt_id from answer where answer_id = $1 order by 1', [
        first.answerId,
      ]),
    ).toEqual([
      { version: 1, receipt_id: before.body.receiptId },
      { version: 2, receipt_id: after.body.receiptId },
    ]);
  });

  it('numbers concurrent recordings of one answer without a gap', async () => {
    const answerId = 'raced';
    const recorded = await Promise.all(Array.from({ length: 8 }, () => cite(recording({ answerId }))));
    expect(recorded.map(({ body }) => body.version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('refuses an answer of another agent', async () => {
    const first = recording();
    await cite(first);
    const { status, body } = await cite(recording({ answerId: first.answerId, agentId: 'intruder' }));
    expect([status, body.type, body.answerId]).toEqual([409, 'AnswerOfAnotherAgent', first.answerId]);
  });

  it('lets two tenants use one answerId', async () => {
    const [found] = await retrieve(other, 'secret sauce');
    const body = recording({ answerId: 'shared-name' });
    await cite(body);
    const { status, body: theirs } = await cite(
      { ...body, idempotencyKey: crypto.randomUUID(), citations: [{ chunkId: found.chunkId }] },
      other,
    );
    expect([status, theirs.version]).toEqual([201, 1]);
  });

  it('takes passages of the commons, and does not say whose they are', async () => {
    const [found] = await retrieve(acme, 'public holidays');
    const { status, body, text } = await cite(recording({ citations: [{ chunkId: found.chunkId, quote: 'free' }] }));
    expect([status, body.citations[0].source, body.citations[0].corpusId]).toEqual([201, 'commons', 'law']);
    expect(text).not.toContain('other');
  });

  it('knows the last of several retrievals at once', async () => {
    const queries = ['annual leave', 'days of leave', 'leave of staff'];
    const kept = [];
    for (const query of queries) {
      await retrieve(acme, query, { agentId: 'researcher' });
      kept.push(await queryBehind(await cite(recording({ agentId: 'researcher' }))));
    }
    expect(kept).toEqual(queries);
  });

  it('knows a retrieval that another process has just answered', async () => {
    const second = await startApi({ database: api.database });
    const there = { ...acme, call: caller(second.url, acme.tenantId, acme.apiKey) };
    await retrieve(there, 'carried over to March', { agentId: 'traveller' });
    const kept = await queryBehind(await cite(recording({ agentId: 'traveller' })));
    await second.close();
    expect(kept).toBe('carried over to March');
  });

  it('waits for what another process may have answered before its transaction begins, not in it', async () => {
    const sentAt = Date.now();
    const { recordedAt } = (await cite(recording({ agentId: 'never-seen' }))).body;
    // The time of a row is that at which its transaction began.
    expect(Date.parse(recordedAt) - sentAt).toBeGreaterThanOrEqual(140);
  });

  it('does not claim a retrieval that did not find what is cited', async () => {
    await retrieve(acme, 'public holidays', { agentId: 'reader' });
    expect((await cite(recording({ agentId: 'reader' }))).body.retrievalId).toBeNull();
    expect((await cite(recording({ agentId: 'never-searched' }))).body.retrievalId).toBeNull();
  });
});

describe('refusing citations', () => {
  it('names every one that does not fit, and records nothing', async () => {
    const [secret] = await retrieve(other, 'secret sauce');
    const body = recording({
      citations: [
        { chunkId: passage.chunkId },
        { chunkId: 'chk_unknown' },
        { chunkId: secret.chunkId },
        { chunkId: passage.chunkId, quote: '26 days' },
        { chunkId: passage.chunkId, start: 0, end: 1000 },
      ],
    });
    const answer = await cite(body);
    expect([answer.status, answer.body.type]).toEqual([400, 'ValidationFailed']);
    expect(answer.body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'body.citations[1].chunkId',
      'body.citations[2].chunkId',
      'body.citations[3].quote',
      'body.citations[4].end',
    ]);
    // What another tenant has is refused in the same words as what nobody has.
    const [unknown, invisible] = answer.body.issues;
    expect(invisible.message.replace(secret.chunkId, '#')).toBe(unknown.message.replace('chk_unknown', '#'));
    expect(await api.database.query('select 1 from answer where answer_id = $1', [body.answerId])).toEqual([]);
  });

  it.each(['agentId', 'answerId', 'citations'])('refuses a body without %s', async (member) => {
    const { status, body } = await cite({ ...recording(), [member]: undefined });
    expect([status, body.issues[0].path]).toEqual([400, `body.${member}`]);
  });

  it('asks for the idempotency key in the body, where the specification wants it', async () => {
    const body = { ...recording(), idempotencyKey: undefined };
    expect((await cite(body)).body.type).toBe('IdempotencyKeyRequired');
    const { status, body: refused } = await acme.call('POST', '/v1/citations', body);
    expect([status, refused.issues[0].path]).toEqual([400, 'body.idempotencyKey']);
  });

  it('refuses keys that differ, and a short one', async () => {
    const body = recording();
    expect((await acme.call('POST', '/v1/citations', body)).status).toBe(400);
    expect((await acme.call('POST', '/v1/citations', body, { 'x-idempotency-key': body.idempotencyKey })).status).toBe(
      201,
    );
    expect((await cite(recording({ idempotencyKey: '1234567' }))).status).toBe(400);
  });

  it('replays a repeat and records once', async () => {
    const body = recording();
    const [first, again] = [await cite(body), await cite(body)];
    expect(again.headers.get('x-idempotency-replayed')).toBe('true');
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(
      await api.database.query('select count(*)::int as n from answer where answer_id = $1', [body.answerId]),
    ).toEqual([{ n: 1 }]);
  });

  it.each<[string, object, number]>([
    ['no citations', { citations: [] }, 400],
    ['too many', { citations: Array.from({ length: 501 }, () => ({ chunkId: 'x' })) }, 400],
    ['citations that are not objects', { citations: ['x', 1, null, []] }, 400],
    ['citations that are not a list', { citations: { 0: {} } }, 400],
    ['a start that is no number', { citations: [{ chunkId: 'x', start: '1', end: 2 }] }, 400],
    ['a start below 0', { citations: [{ chunkId: 'x', start: -1, end: 2 }] }, 400],
    ['a fraction', { citations: [{ chunkId: 'x', start: 0.5, end: 2 }] }, 400],
    ['an empty quote', { citations: [{ chunkId: 'x', quote: '' }] }, 400],
    ['an unknown member', { citations: [{ chunkId: 'x', page: 1 }] }, 400],
    ['an unknown member of the body', { answer: 'x' }, 400],
    ['another tenant', { tenantId: 'other' }, 403],
    ['a NUL', { answerId: 'a\0b' }, 400],
    ['an answerId that is too long', { answerId: 'a'.repeat(513) }, 400],
    ['the tenant itself', { tenantId: 'acme' }, 201],
  ])('%s', async (_what, members, status) => {
    expect((await cite(recording(members))).status).toBe(status);
  });

  it('asks for a credential', async () => {
    expect((await send(api.url, 'POST', '/v1/citations', recording())).status).toBe(401);
  });
});

describe('the record', () => {
  it('is receipted with digests and without texts', async () => {
    const { body } = await cite(
      recording({ citations: [{ chunkId: passage.chunkId, quote: '25 days' }], answerText: 'It is 25.' }),
    );
    const { body: receipt, text } = await acme.call('GET', `/v1/proof/answers/${body.answerId}/receipt`);
    expect([receipt.kind, receipt.receiptId, receipt.subject]).toEqual([
      'answer.recorded',
      body.receiptId,
      body.answerId,
    ]);
    expect(receipt.body.citations).toEqual([
      {
        chunk_id: passage.chunkId,
        content_hash: blake3Digest(TEXT),
        corpus_id: 'handbook',
        doc_id: 'leave',
        version: 1,
        source: 'tenant',
        start: 26,
        end: 33,
        quote_hash: blake3Digest('25 days'),
        note_hash: null,
      },
    ]);
    expect(text).not.toContain('It is 25.');
  });

  it('cannot be changed by the application', async () => {
    await expect(api.database.query(`update answer set answer_text = 'x'`)).rejects.toThrow(/permission denied/);
    await expect(api.database.query('delete from citation')).rejects.toThrow(/permission denied/);
  });
});

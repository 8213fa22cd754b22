import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { anotherKey, approved, lift, mark, withToken } from '../shield/given.js';
import { documentOf, ended } from './given.js';

const AT_ONCE = 24;

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await anotherKey(api, acme);
});
afterAll(() => api.close());

const sendOne = (tenant: TestTenant, change: Record<string, unknown>, headers: Record<string, string> = {}) =>
  tenant.call('POST', '/v1/ingest', documentOf(tenant, change), headers);
const sendAll = (corpusId: string, senders: readonly TestTenant[] = [acme]): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => sendOne(senders[n % senders.length]!, { corpusId, docId: `d${n}` })),
  );
const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();
const rowsOf = (corpusId: string) =>
  api.database.query<{ transaction: string; accepted_by: string; ingest_id: string; receipt_id: string }>(
    `select v.xmin::text as transaction, v.accepted_by, i.ingest_id, i.receipt_id
     from document_version v join ingest i using (tenant_id, corpus_id, doc_id, version) where corpus_id = $1 order by doc_id`,
    [corpusId],
  );
const decisions = async (outcome: string): Promise<number> => {
  const [row] = await api.database.query<{ count: number }>(
    `select count(*)::int as count from shield_decision where action = 'POST /v1/ingest' and outcome = $1`,
    [outcome],
  );
  return row!.count;
};

describe('documents that are sent one by one at the same time', () => {
  it('share transactions, and each has a receipt and a decision of its own', async () => {
    const before = await decisions('allow');
    const answers = await sendAll('together');
    expect(statusesOf(answers)).toEqual([202]);
    expect(await decisions('allow')).toBe(before + AT_ONCE);
    const rows = await rowsOf('together');
    expect(rows).toHaveLength(AT_ONCE);
    expect(new Set(rows.map(({ transaction }) => transaction)).size).toBeLessThan(AT_ONCE / 2);
    const byReceipt = new Map(rows.map((row) => [row.receipt_id, row.ingest_id]));
    expect(new Map(answers.map(({ body }) => [body.receiptId, body.ingestId]))).toEqual(byReceipt);
    const receipts = await api.database.query<{ receipt_id: string; cose: Buffer }>(
      'select receipt_id, cose from receipt where receipt_id = any($1)',
      [[...byReceipt.keys()]],
    );
    const subjects = receipts.map(({ receipt_id, cose }) => {
      const { kind, subject } = openReceipt(cose).payload;
      return [receipt_id, kind, subject];
    });
    expect(subjects.sort()).toEqual([...byReceipt].map(([id, ingest]) => [id, 'ingest.accepted', ingest]).sort());
    for (const { body } of answers) expect(await ended(acme, body.ingestId)).toMatchObject({ status: 'completed' });
  });

  it('say of each who sent it', async () => {
    expect(statusesOf(await sendAll('senders', [acme, other]))).toEqual([202]);
    const rows = await rowsOf('senders');
    for (const { keyId } of [acme, other])
      expect(rows.filter(({ accepted_by }) => accepted_by === `key:${keyId}`)).toHaveLength(AT_ONCE / 2);
  });

  it('have one effect a key', async () => {
    const key = { 'x-idempotency-key': 'once-and-no-more' };
    const change = { corpusId: 'once', docId: 'd' };
    const [, ...answers] = await Promise.all([
      sendAll('others'),
      ...Array.from({ length: 8 }, () => sendOne(acme, change, key)),
    ]);
    const done = answers.filter(({ status }) => status === 202);
    expect(statusesOf(answers).filter((status) => status !== 409)).toEqual([202]);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(done.filter(({ headers }) => headers.get('x-idempotency-replayed') === null)).toHaveLength(1);
    const again = await sendOne(acme, change, key);
    expect([again.status, again.text, again.headers.get('x-idempotency-replayed')]).toEqual([
      202,
      done[0]!.text,
      'true',
    ]);
    const another = await sendOne(acme, { ...change, content: 'Something else.' }, key);
    expect([another.status, another.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await rowsOf('once')).toHaveLength(1);
  });

  it('do not fail for one that is rejected', async () => {
    await sendOne(acme, { corpusId: 'german', docId: 'first', metadata: { language: 'german' } });
    const [rejected, answers] = await Promise.all([
      sendOne(acme, { corpusId: 'german', docId: 'second', metadata: { language: 'english' } }),
      sendAll('german'),
    ]);
    expect([rejected.status, rejected.body.language]).toEqual([409, 'german']);
    expect(statusesOf(answers)).toEqual([202]);
    expect(await rowsOf('german')).toHaveLength(AT_ONCE + 1);
  });

  it('are stopped by a switch from when it stands, each by a decision of its own', async () => {
    expect(statusesOf(await sendAll('before'))).toEqual([202]);
    const before = await decisions('deny');
    const stopped = await mark(acme, 'POST /v1/ingest', 'deny');
    expect(statusesOf(await sendAll('stopped'))).toEqual([403]);
    expect(await decisions('deny')).toBe(before + AT_ONCE);
    expect(await rowsOf('stopped')).toEqual([]);
    await lift(acme, stopped);
    expect(statusesOf(await sendAll('after'))).toEqual([202]);
  });

  it('use up their approvals, each once', async () => {
    const marked = await mark(acme);
    const body = documentOf(acme, { corpusId: 'approved' });
    const token = await approved(acme, other, body);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => acme.call('POST', '/v1/ingest', body, withToken(token))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 403, 403, 403]);
    expect(await rowsOf('approved')).toHaveLength(1);
    await lift(acme, marked);
  });
});

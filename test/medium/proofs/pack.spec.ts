import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { chainKeysOf, parseTrustedKeys } from '../../../src/evidence/trusted-keys.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { signCheckpoint } from '../../kit/signed-forms.js';
import { givenAnswer, givenDocument, prove, retrieve } from './given.js';
import { verifyByCommand } from './verify-command.js';

const TEXT = 'Every member of staff has 25 days of annual leave.';

const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  await givenDocument(acme, { text: TEXT });
});
afterAll(() => api.close());

/** The bytes of the body, as a client saves them. */
async function download(path: string, tenant = acme): Promise<Buffer> {
  const response = await fetch(api.url + path, {
    headers: { 'x-tenant-id': tenant.tenantId, 'x-api-key': tenant.apiKey },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  return Buffer.from(await response.arrayBuffer());
}

async function auditPack(): Promise<{ job: any; file: Buffer }> {
  const [{ chunkId }] = await retrieve(acme, 'annual leave', { lane: 'audit' });
  const answerId = await givenAnswer(acme, [chunkId], { citations: [{ chunkId, quote: '25 days' }] });
  const job = await prove(acme, { answerId, mode: 'audit' });
  return { job, file: await download(job.links.proofpack) };
}

describe('a proof pack', () => {
  it('holds the proof, what it rests on and the texts, and verifies with the published keys', async () => {
    const { job, file } = await auditPack();
    const pack = JSON.parse(file.toString('utf8'));
    expect([pack.ok, pack.format, pack.tenant_id, pack.subject]).toEqual([
      true,
      'svc-proofpack-v3',
      'acme',
      { type: 'answer', id: job.subject.id },
    ]);
    expect(pack.receipts).toHaveLength(4);
    expect(pack.retrievals).toHaveLength(1);
    expect(pack.chunks.map(({ content, receipt_id }: any) => [content, receipt_id])).toEqual([[TEXT, job.receiptId]]);
    const keys = await fetch(`${api.url}/.well-known/jwks.json`).then((response) => response.text());
    const verdict = verifyPack(file, chainKeysOf(parseTrustedKeys(keys)));
    expect(verdict.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(verdict.ok).toBe(true);
  });

  it('is refused after any single-byte change', async () => {
    const { file } = await auditPack();
    const accepted: string[] = [];
    for (let n = 0; n < 1000; n++) {
      const changed = Buffer.from(file);
      const at = Math.floor(Math.random() * file.length);
      const by = 1 + Math.floor(Math.random() * 255);
      changed[at] = changed[at]! ^ by;
      const verdict = verifyPack(changed);
      if (verdict.ok || !verdict.checks.some(({ ok, detail }) => !ok && detail !== ''))
        accepted.push(`byte ${at} ^ ${by}`);
    }
    expect(accepted).toEqual([]);
  }, 120_000);

  it('saved as it is, verifies with the command', async () => {
    const { file } = await auditPack();
    expect(await verifyByCommand(file)).toMatchObject({ code: 3, verdict: { ok: true, issuer: 'unknown' } });
    const spoilt = Buffer.from(file);
    spoilt[file.indexOf('25 days')]! ^= 1;
    expect(await verifyByCommand(spoilt)).toMatchObject({ code: 1, failed: 'chunks' });
  });

  it('can be had of an answer, before any proof', async () => {
    const [{ chunkId }] = await retrieve(acme, 'annual leave');
    const answerId = await givenAnswer(acme, [chunkId, chunkId], { agentId: 'newcomer' });
    const { body: receipt } = await acme.call('GET', `/v1/proof/answers/${answerId}/receipt`);
    const file = await download(receipt.links.proofpack);
    const pack = JSON.parse(file.toString('utf8'));
    expect([verifyPack(file).ok, pack.subject, pack.receipts.length, pack.chunks.length]).toEqual([
      true,
      { type: 'answer', id: answerId },
      2,
      1,
    ]);
  });

  it('can be had of an ingest and of a retrieval receipt', async () => {
    const [ingest] = await api.database.query<{ receipt_id: string }>('select receipt_id from ingest limit 1');
    const { body } = await acme.call('POST', '/v1/retrieve', { query: 'annual leave', lane: 'verified' });
    for (const receiptId of [ingest!.receipt_id, body.meta.retrievalReceiptId]) {
      expect(verifyPack(await download(`/v1/proof/receipts/${receiptId}/proofpack`)).ok).toBe(true);
    }
  });

  it('shows that its checkpoint extends one that was kept, and refuses what is none of this log', async () => {
    const kept = await (await fetch(`${api.url}/tlog/checkpoint`)).text();
    await retrieve(acme, 'annual leave', { lane: 'audit' });
    const [ingest] = await api.database.query<{ receipt_id: string }>('select receipt_id from ingest limit 1');
    const path = `/v1/proof/receipts/${ingest!.receipt_id}/proofpack`;
    const encoded = Buffer.from(kept).toString('base64url');
    const file = await download(`${path}?earlier_checkpoint=${encoded}`);
    const freshness = { checkpoint: parseCheckpoint(kept) };
    expect((await verifyBundle(file, LIMITS, { freshness })).checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(JSON.parse(file.toString()).consistency).toMatchObject([{ checkpoint: kept }]);
    const plain = await verifyBundle(await download(path), LIMITS, { freshness });
    expect(plain.checks.find(({ ok }) => !ok)).toMatchObject({
      name: 'freshness',
      detail: expect.stringContaining('earlier_checkpoint'),
    });
    const foreign = signCheckpoint('svc.local/log', { size: 0, root: Buffer.alloc(32) }, SigningKey.generate());
    for (const text of ['none', foreign]) {
      const query = `?earlier_checkpoint=${Buffer.from(text).toString('base64url')}`;
      const { status, body } = await acme.call('GET', path + query);
      expect([status, body.issues[0].path]).toEqual([400, 'query.earlier_checkpoint']);
    }
  });

  it('leaves out a text that was found altered, and still verifies', async () => {
    await givenDocument(acme, { text: 'The safe opens at nine.', docId: 'safe' });
    const [{ chunkId }] = await retrieve(acme, 'safe opens');
    const answerId = await givenAnswer(acme, [chunkId]);
    await api.database.query(`update chunk set content = 'The safe opens at eight.' where chunk_id = $1`, [chunkId]);
    const job = await prove(acme, { answerId });
    const file = await download(job.links.proofpack);
    expect([job.verdict, verifyPack(file).ok, JSON.parse(file.toString('utf8')).chunks]).toEqual(['broken', true, []]);
  });

  it('has receipts that stand in the log at once', async () => {
    const [{ chunkId }] = await retrieve(acme, 'annual leave');
    const { body } = await acme.call('GET', `/v1/proof/answers/${await givenAnswer(acme, [chunkId])}/receipt`);
    expect(body.log).toEqual({
      leafIndex: expect.any(Number),
      treeSize: expect.any(Number),
      checkpoint: expect.stringMatching(/^svc\.local\/log\/1\n/),
    });
    expect(body.log.leafIndex).toBeLessThan(body.log.treeSize);
  });
});

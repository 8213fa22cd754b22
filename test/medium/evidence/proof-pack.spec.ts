import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { ReceiptNotLogged } from '../../../src/common/evidence-log/evidence-log.problems.js';
import { LogReader } from '../../../src/common/evidence-log/log-reader.js';
import type { ProofPack } from '../../../src/evidence/pack-format.js';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { recordRetrieval } from '../../kit/retrieval-receipt.js';
import { type EvidenceApp, sampleEvent, openEvidence } from './evidence-app.js';

describe('proof packs from the database', () => {
  let database: TestDatabase;
  let app: EvidenceApp;

  beforeAll(async () => {
    database = await freshDatabase();
    app = await openEvidence(database.url);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it('verifies offline with the trusted key, over rotation of leaves and an earlier checkpoint', async () => {
    const content = 'Passages are cited word for word.';
    const cited = {
      chunk_id: 'chk_1',
      content_hash: blake3Digest(content),
      corpus_id: 'handbook',
      doc_id: 'd',
      version: 1,
    };
    const retrieval = await recordRetrieval(app.evidence, 'acme', {
      actor: 'key:test',
      authMode: 'api_key',
      body: { results: [{ ...cited, source: 'commons' }] },
    });
    await app.sequencer.integrate();
    const reader = new LogReader((sql, parameters) => app.tenancy.call(sql, parameters));
    const earlier = (await reader.findHead())?.checkpoint ?? '';
    const [first, second] = await app.tenancy.run('acme', () =>
      app.evidence.recordMany([
        { ...sampleEvent(1), body: { citations: [{ ...cited, source: 'commons' }] } },
        sampleEvent(2),
      ]),
    );
    await app.tenancy.run('acme', () => app.evidence.recordMany(Array.from({ length: 300 }, (_, n) => sampleEvent(n))));
    const file = await app.tenancy.run('acme', () =>
      app.context.get(ProofPacks).make({
        subject: { type: 'answer', id: 'a-1' },
        receiptIds: [second?.receiptId ?? '', retrieval.receiptId, first?.receiptId ?? ''],
        chunks: [
          { ...cited, content, receipt_id: first?.receiptId ?? '' },
          { ...cited, content, receipt_id: retrieval.receiptId },
        ],
        earlierCheckpoints: [earlier],
      }),
    );
    const pack = JSON.parse(Buffer.from(file).toString()) as ProofPack;
    const { size } = parseCheckpoint(pack.checkpoint);
    // The log has the receipts of the server itself too.
    expect(size).toBeGreaterThan(303);
    const verdict = verifyPack(file, [{ key: app.keys.active.publicKey }]);
    expect(verdict).toEqual({
      ok: true,
      checks: [
        { name: 'format', ok: true, detail: `svc-proofpack-v3, ${String(file.length)} bytes, canonical` },
        { name: 'keys', ok: true, detail: '3 keys, 1 trusted, the others named by them' },
        { name: 'receipts', ok: true, detail: '2 execution receipts: test.happened' },
        { name: 'signatures', ok: true, detail: '2 signatures (Ed25519) hold' },
        { name: 'chain', ok: true, detail: '1 stream, 1 link between neighbours hold' },
        { name: 'retrievals', ok: true, detail: '1 retrieval receipt' },
        { name: 'chunks', ok: true, detail: '2 chunks: texts match the digests that the receipts name' },
        { name: 'checkpoint', ok: true, detail: `svc.local/log/1, ${size} leaves` },
        { name: 'inclusion', ok: true, detail: '3 records in the log' },
        { name: 'epoch', ok: true, detail: 'svc.local/log/1 is the first epoch' },
        { name: 'consistency', ok: true, detail: '1 earlier checkpoint extended' },
        { name: 'auth-mode', ok: true, detail: 'api_key' },
        { name: 'seal', ok: true, detail: expect.stringMatching(/^made .*, nothing changed since$/) },
        { name: 'timestamps', ok: true, detail: 'none' },
      ],
    });
  });

  it('refuses a receipt whose unit of work is still open, instead of handing out half a proof', async () => {
    const early = app.tenancy.run('acme', async () => {
      const { receiptId } = await app.evidence.record(sampleEvent(1));
      await app.context
        .get(ProofPacks)
        .make({ subject: { type: 'answer', id: 'x' }, receiptIds: [receiptId], chunks: [] });
    });
    await expect(early).rejects.toBeInstanceOf(ReceiptNotLogged);
  });
});

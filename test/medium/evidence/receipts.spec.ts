import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReceiptUnknown } from '../../../src/common/evidence-log/evidence-log.problems.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { type EvidenceApp, sampleEvent, openEvidence } from './evidence-app.js';

describe('receipts', () => {
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

  it('records a batch as a chain and reads it back', async () => {
    const recorded = await app.tenancy.run('acme', () =>
      app.evidence.recordMany([sampleEvent(1), sampleEvent(2), sampleEvent(3, 'other')]),
    );
    expect(recorded.map(({ stream, seq }) => ({ stream, seq }))).toEqual([
      { stream: 'main', seq: 1 },
      { stream: 'main', seq: 2 },
      { stream: 'other', seq: 1 },
    ]);
    const second = await app.tenancy.run('acme', () => app.evidence.read(recorded[1]?.receiptId ?? ''));
    expect(second.payload).toEqual({
      v: 1,
      kind: 'test.happened',
      tenant_id: 'acme',
      stream: 'main',
      seq: 2,
      prev: recorded[0]?.payloadHash,
      occurred_at: second.payload.occurred_at,
      actor: 'key:test',
      auth_mode: 'api_key',
      subject: 'subject-2',
      body_hash: second.payload.body_hash,
      body: { n: 2, note: 'a body' },
    });
  });

  it('shows no receipt to another tenant', async () => {
    const { receiptId } = await app.tenancy.run('acme', () => app.evidence.record(sampleEvent(4)));
    await expect(app.tenancy.run('rival', () => app.evidence.read(receiptId))).rejects.toBeInstanceOf(ReceiptUnknown);
    for (const id of ['', 'x', 'blake3:00', receiptId.toUpperCase()]) {
      await expect(app.tenancy.run('acme', () => app.evidence.read(id))).rejects.toBeInstanceOf(ReceiptUnknown);
      await expect(app.tenancy.run('acme', () => app.evidence.readRetrieval(id))).rejects.toBeInstanceOf(
        ReceiptUnknown,
      );
    }
    await expect(app.tenancy.run('rival', () => app.evidence.findBySubject('subject-4'))).resolves.toEqual([]);
  });

  it('leaves nothing of a unit of work that fails', async () => {
    const failing = app.tenancy.run('fails', async () => {
      await app.evidence.record(sampleEvent(1));
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    const first = await app.tenancy.run('fails', () => app.evidence.record(sampleEvent(2)));
    expect(first.seq).toBe(1);
  });

  it('keeps one chain under concurrent writers, the first receipt included', async () => {
    const writers = Array.from({ length: 40 }, (_, n) =>
      app.tenancy.run('busy', () => app.evidence.record(sampleEvent(n))),
    );
    const seqs = (await Promise.all(writers)).map(({ seq }) => seq).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  it('keeps the order and the chain of 500 receipts in one transaction', async () => {
    const batch = Array.from({ length: 500 }, (_, n) => sampleEvent(n));
    const recorded = await app.tenancy.run('many', () => app.evidence.recordMany(batch));
    expect(recorded.map(({ seq }) => seq)).toEqual(batch.map((_, n) => n + 1));
    expect(new Set(recorded.map(({ receiptId }) => receiptId)).size).toBe(500);
  });

  it('lets the application add evidence and never change it', async () => {
    const change = app.tenancy.run('acme', () => app.tenancy.query(`update receipt set kind = 'other'`));
    await expect(change).rejects.toThrow('permission denied');
    const removal = app.tenancy.run('acme', () => app.tenancy.query('delete from retrieval_receipt'));
    await expect(removal).rejects.toThrow('permission denied');
    await expect(app.tenancy.call('delete from log_leaf')).rejects.toThrow('permission denied');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditTrail, type AuditEntry } from '../../../src/common/evidence-log/audit-trail.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { type EvidenceApp, openEvidence } from './evidence-app.js';

describe('the audit trail', () => {
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

  const BY = { principal: 'key:test', authType: 'api_key' };
  const record = (entry: AuditEntry) => app.context.get(AuditTrail).record(BY, entry);
  const recordAlone = (entry: AuditEntry) => app.tenancy.run('acme', () => record(entry));
  const readEvents = (subject: string) =>
    app.tenancy.run('acme', () =>
      app.tenancy.query('select event_id, kind, subject, data from outbox_event where subject = $1', [subject]),
    );
  const readReceipt = (receiptId: string) =>
    app.tenancy.run('acme', async () => (await app.evidence.read(receiptId)).payload);

  it('says the facts in both records, and in each what is its own', async () => {
    const { receiptId, eventId } = await recordAlone({
      kind: 'thing.made',
      subject: 'made',
      facts: { thingId: 'made', priceCredits: 3, note: undefined },
      event: { host: 'example.com' },
      receipt: { madeBy: 'hand' },
    });
    const data = { thingId: 'made', priceCredits: 3, host: 'example.com', actor: 'key:test' };
    expect(await readEvents('made')).toEqual([{ event_id: eventId, kind: 'thing.made', subject: 'made', data }]);
    expect(await readReceipt(receiptId)).toMatchObject({
      kind: 'thing.made',
      subject: 'made',
      stream: 'main',
      actor: 'key:test',
      auth_mode: 'api_key',
      body: { thing_id: 'made', price_credits: 3, madeBy: 'hand' },
    });
  });

  it('finds the head of its stream by its key, however many streams the tenant has got since', async () => {
    const entry = (stream: string): AuditEntry => ({ kind: 'thing.made', subject: stream, stream, facts: {} });
    const headsRead = async (): Promise<number> => {
      const [row] = await app.tenancy.query<{ read: string }>(
        `select idx_tup_fetch + seq_tup_read as read from pg_stat_xact_user_tables where relname = 'receipt_head'`,
      );
      return Number(row!.read);
    };
    await app.tenancy.run('acme', async () => {
      for (const stream of ['heads/a', 'heads/b']) await record(entry(stream));
      await app.tenancy.query(
        `insert into receipt_head (tenant_id, stream, seq) select 'acme', 'heads/' || n, 0 from generate_series(1, 3000) n`,
      );
      const before = await headsRead();
      await record(entry('heads/c'));
      expect((await headsRead()) - before).toBeLessThan(10);
    });
  });

  it('writes an event that names the receipt as it was made', async () => {
    const { receiptId, eventId } = await recordAlone({
      kind: 'thing.grown',
      subject: 'thing/grown',
      stream: 'things',
      facts: { size: 2 },
      makeEvent: (receipt_id) => ({ kind: 'thing.known', subject: 'grown', data: { receipt_id } }),
    });
    const data = { receipt_id: receiptId };
    expect(await readEvents('grown')).toEqual([{ event_id: eventId, kind: 'thing.known', subject: 'grown', data }]);
    expect(await readReceipt(receiptId)).toMatchObject({ subject: 'thing/grown', stream: 'things', body: { size: 2 } });
  });

  it('leaves neither record of a unit of work that fails', async () => {
    const failing = app.tenancy.run('acme', async () => {
      await record({ kind: 'thing.made', subject: 'failed' });
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await readEvents('failed')).toEqual([]);
    expect(await app.tenancy.run('acme', () => app.evidence.findBySubject('failed'))).toEqual([]);
  });

  it('leaves no event where the receipt cannot be made', async () => {
    await expect(
      recordAlone({ kind: 'thing.made', subject: 'unsafe', facts: { size: Number.NaN } }),
    ).rejects.toBeInstanceOf(Error);
    expect(await readEvents('unsafe')).toEqual([]);
  });
});

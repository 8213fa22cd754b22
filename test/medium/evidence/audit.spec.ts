import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { examineNewest } from '../../../src/common/evidence-log/newest-evidence.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { recordRetrieval } from '../../kit/retrieval-receipt.js';
import { type EvidenceApp, sampleEvent, openEvidence } from './evidence-app.js';

describe('the audit', () => {
  let database: TestDatabase;
  let app: EvidenceApp;
  let audit: EvidenceAudit;
  let owner: Client;
  const ids: string[] = [];
  let retrievedAt: Date;

  beforeAll(async () => {
    database = await freshDatabase();
    app = await openEvidence(database.url, { SVC_LOG_INTERVAL_MS: '60000' });
    audit = app.context.get(EvidenceAudit);
    owner = new Client({ connectionString: database.superuserUrl });
    await owner.connect();
    for (const tenant of ['acme', 'beta']) {
      const made = await app.tenancy.run(tenant, () =>
        app.evidence.recordMany([1, 2, 3, 4].map((n) => sampleEvent(n))),
      );
      ids.push(...made.map((receipt) => receipt.receiptId));
    }
    await recordRetrieval(app.evidence, 'acme', {
      actor: 'key:test',
      authMode: 'api_key',
      body: { q: 1, session_id: 's' },
    });
    [{ at: retrievedAt }] = (await owner.query<{ at: Date }>('select occurred_at as at from retrieval_receipt'))
      .rows as [{ at: Date }];
    await app.sequencer.integrate();
  });
  afterAll(async () => {
    await owner.end();
    await app.close();
    await database.drop();
  });

  /** Tampers as someone who owns the database can: forced row-level security has to be switched off first. */
  async function tamper(sql: string, parameters: unknown[] = []): Promise<void> {
    await owner.query('begin');
    await owner.query('alter table receipt no force row level security');
    await owner.query('alter table receipt_head no force row level security');
    await owner.query('alter table retrieval_receipt no force row level security');
    await owner.query(sql, parameters);
    await owner.query('commit');
  }
  it('finds a receipt that its key signed after its end', async () => {
    const end = `update signing_key set not_after = (select occurred_at from receipt where receipt_id = $1)`;
    const later = `select receipt_id as id from receipt where tenant_id = 'beta' order by seq desc limit 1`;
    const [{ id }] = (await owner.query<{ id: string }>(later)).rows as [{ id: string }];
    await tamper(end, [id]);
    const { faults } = await audit.verifyChain();
    await tamper('update signing_key set not_after = null');
    expect(faults).toContainEqual(
      expect.stringMatching(new RegExp(`^receipt ${id} of tenant beta: key \\S+ did not sign receipts at 2`)),
    );
    expect((await audit.verifyChain()).ok).toBe(true);
  });

  let restore: (() => Promise<void>)[] = [];
  async function tamperOnce(table: string, where: string, sql: string): Promise<void> {
    await tamper(`create table kept as select * from ${table} where ${where}`);
    await tamper(`${sql} where ${where}`);
    restore.push(async () => {
      await tamper(`delete from ${table} where ${where}`);
      await tamper(`insert into ${table} select * from kept`);
      await tamper('drop table kept');
    });
  }
  afterEach(async () => {
    for (const undo of restore) await undo();
    restore = [];
    expect([(await audit.verifyChain()).ok, (await audit.verifyLog()).ok]).toEqual([true, true]);
  });

  it('finds nothing wrong with what was recorded', async () => {
    const chain = await audit.verifyChain();
    // Nine, and those of the server itself.
    expect(chain).toEqual({ ok: true, examined: expect.any(Number), faults: [] });
    expect(chain.examined).toBeGreaterThan(9);
    expect(await audit.verifyLog()).toEqual(chain);
  });

  it('finds an altered column', async () => {
    await tamperOnce('receipt', `receipt_id = '${ids[1] ?? ''}'`, `update receipt set subject = 'other'`);
    expect((await audit.verifyChain()).faults).toEqual([
      `receipt ${ids[1] ?? ''} of tenant acme: its columns differ from what was signed`,
    ]);
  });

  const newest = () =>
    app.context
      .get(CrossTenant)
      .run('test', (query) => examineNewest(query, { checks: [], keys: app.context.get(KnownKeys) }));

  it('finds a record that is listed by another session, principal or time than its own', async () => {
    const one = `receipt_id = '${ids[1] ?? ''}'`;
    await tamperOnce('receipt', one, `update receipt set session = 'forged'`);
    expect((await audit.verifyChain()).faults).toEqual([
      `receipt ${ids[1] ?? ''} of tenant acme: its columns differ from what was signed`,
    ]);
    expect((await newest()).faults).toMatchObject([{ check: 'receipts', subject: ids[1] }]);
    await tamper(`update receipt set session = null where ${one}`);
    for (const change of [`session = null`, `session = 'forged'`, `actor = 'key:x'`, `occurred_at = '2020-01-01'`]) {
      await tamper(`update retrieval_receipt set ${change}`);
      expect((await newest()).faults).toMatchObject([{ check: 'retrievals' }]);
      expect((await audit.verifyChain()).faults).toContainEqual(
        expect.stringMatching(/^retrieval receipt [0-9a-f]{64} of tenant acme: its columns differ from the record$/),
      );
      await tamper(`update retrieval_receipt set session = 's', actor = 'key:test', occurred_at = $1`, [retrievedAt]);
    }
    // Rows from before there was the column have no session.
    await tamper('update retrieval_receipt set session = null, ingested_at = null');
    expect((await audit.verifyChain()).ok).toBe(true);
    await tamper(`update retrieval_receipt set session = 's', ingested_at = now()`);
  });

  it('finds an altered signed message', async () => {
    const flip = 'set_byte(cose, length(cose) - 1, get_byte(cose, length(cose) - 1) # 1)';
    await tamperOnce('receipt', `receipt_id = '${ids[1] ?? ''}'`, `update receipt set cose = ${flip}`);
    const { faults } = await audit.verifyChain();
    expect(faults[0]).toBe(`receipt ${ids[1] ?? ''} of tenant acme: the signature does not hold`);
    expect(faults[1]).toMatch(/^record blake3:[0-9a-f]{64} has no leaf and waits for none$/);
    expect(faults[2]).toMatch(/^leaf 5 of the log \(execution, blake3:[0-9a-f]{64}\): its record is gone$/);
    expect(faults).toHaveLength(3);
  });

  it('finds a removed receipt', async () => {
    await tamperOnce('receipt', `receipt_id = '${ids[5] ?? ''}'`, 'delete from receipt');
    expect((await audit.verifyChain()).faults).toEqual([
      `receipt ${ids[6] ?? ''} of tenant beta: stream main has a gap before seq 3`,
      `receipt ${ids[6] ?? ''} of tenant beta: prev is not the receipt before it`,
      expect.stringMatching(/^leaf 9 of the log .*: its record is gone$/),
    ]);
  });

  it('finds a removed last receipt', async () => {
    await tamperOnce('receipt', `receipt_id = '${ids[7] ?? ''}'`, 'delete from receipt');
    expect((await audit.verifyChain()).faults).toEqual([
      'stream main of tenant beta does not end where its head says',
      expect.stringMatching(/^leaf 11 of the log .*: its record is gone$/),
    ]);
  });

  it('finds an altered retrieval receipt', async () => {
    await tamperOnce('retrieval_receipt', 'true', `update retrieval_receipt set record = set_byte(record, 9, 1)`);
    expect((await audit.verifyChain()).ok).toBe(false);
  });

  it('finds an altered leaf and an altered tile', async () => {
    await tamperOnce('log_leaf', 'leaf_index = 4', `update log_leaf set record_type = 'retrieval'`);
    expect((await audit.verifyLog()).faults).toEqual([
      'tile 0/0 is not what the leaves make',
      "the checkpoint's root is not that of the leaves",
    ]);
    expect((await audit.verifyChain()).faults).toEqual(['tile 0/0 of the log is not what its leaves make']);
  });

  it('finds a lost leaf', async () => {
    await tamperOnce('log_leaf', 'leaf_index = 12', 'delete from log_leaf');
    expect((await audit.verifyLog()).ok).toBe(false);
    expect((await audit.verifyChain()).faults).toEqual([
      expect.stringMatching(/^record blake3:[0-9a-f]{64} has no leaf and waits for none$/),
      'tile 0/0 of the log has not as many hashes as the log has leaves',
    ]);
  });
});

import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { EvidenceLook } from '../../../src/common/evidence-log/evidence-look.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { examineNewest } from '../../../src/common/evidence-log/newest-evidence.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { SUBJECT_CHECKS } from '../../../src/modules/operations/readiness/subject-checks.js';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { outcomes, prove } from '../proofs/given.js';
import { ingest } from '../retrieval/given.js';
import { documentOf, ended, ingested } from './given.js';

/** Plain JavaScript without types, by path: the independent program is no part of the build. */
const { judge } = (await import(
  /* @vite-ignore */ join(import.meta.dirname, '../../e2e/evidence/independent-verifier.mjs')
)) as { judge(file: Uint8Array): { ok: boolean; failed: string | null } };

let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let call: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  daemon = await startDaemon({ database: api.database });
  call = daemon.as({ scopes: ALL_SCOPES, tenant: acme.tenantId });
  await ingest(
    acme,
    ['otter', 'beaver', 'vole'].map((docId) => ({ docId, content: `The ${docId} lives by the river.\n\nIt swims.` })),
  );
}, 120_000);
afterAll(async () => {
  await daemon.close();
  await api.close();
});

interface Receipts {
  doc_id: string;
  ingest_id: string;
  receipt_id: string;
  completed_id: string;
}
const receiptsOf = (...docIds: string[]) =>
  api.database.query<Receipts>(
    'select doc_id, ingest_id, receipt_id, completed_id from ingest where doc_id = any($1) order by doc_id, version',
    [docIds],
  );
const open = async (receiptId: string) => {
  const [row] = await api.database.query<{ cose: Buffer }>('select cose from receipt where receipt_id = $1', [
    receiptId,
  ]);
  return openReceipt(row!.cose).payload;
};
const packOf = async (receiptId: string): Promise<Buffer> => {
  const { text } = await acme.call('GET', `/v1/proof/receipts/${receiptId}/proofpack`);
  return Buffer.from(text);
};
const audit = async (): Promise<string[]> => {
  const { faults } = await api.app.get(EvidenceAudit).verifyChain(SUBJECT_CHECKS);
  return [...faults];
};

const newestFaults = async () => {
  const basis = { checks: SUBJECT_CHECKS, keys: api.app.get(KnownKeys, { strict: false }) };
  const { faults } = await api.app
    .get(CrossTenant, { strict: false })
    .run('test', (query) => examineNewest(query, basis));
  return faults;
};

/** As somebody with the database in hand. */
async function tamper(sql: string): Promise<void> {
  const client = new Client({ connectionString: api.database.superuserUrl });
  await client.connect();
  await client.query(`set session_replication_role = replica; ${sql}`);
  await client.end();
}

describe('who may see a document, and whether it is in search', () => {
  const of = (table: string, docId: string, from: string, to: string): string =>
    `update ${table} set shareability = '${to}' where doc_id = '${docId}' and shareability = '${from}'`;
  const opened = (docId: string, tables: readonly string[]) =>
    [
      tables.map((table) => of(table, docId, 'owner_only', 'public_safe')).join('; '),
      tables.map((table) => of(table, docId, 'public_safe', 'owner_only')).join('; '),
    ] as const;
  const moved = (version: number): string => `update document set current_version = ${version} where doc_id = 'coypu'`;
  const shard = (from: string, to: string): string =>
    `update index_shard set shareability = '${to}' where corpus_id = 'den' and shareability = '${from}'`;

  beforeAll(async () => {
    await ingest(acme, [{ docId: 'mink', content: 'The mink hunts.' }]);
    for (const content of ['The coypu swims.', 'The coypu dives.']) await ingest(acme, [{ docId: 'coypu', content }]);
    await ingest(acme, [{ corpusId: 'den', docId: 'badger', content: 'The badger digs.' }]);
    // What is deleted, and comes again, is as it should be.
    await ingest(acme, [{ docId: 'rat', content: 'The rat gnaws.' }]);
    expect((await acme.call('DELETE', '/v1/documents/handbook/rat')).status).toBe(200);
    await ingest(acme, [{ docId: 'hare', content: 'The hare runs.' }]);
    await acme.call('DELETE', '/v1/documents/handbook/hare');
    await ingest(acme, [{ docId: 'hare', content: 'The hare rests.' }]);
    const document = { doc_id: 'shrew', title: 'shrew', text: 'The shrew feeds.' };
    const taken = { tenant_id: acme.tenantId, corpus_id: 'handbook', documents: [document] };
    expect((await call('POST', '/v1/local/ingest', taken)).status).toBeLessThan(300);
    await api.app.get(LogSequencer).integrate();
    await tamper(`create table gone as select * from document where doc_id = 'mink'`);
    expect(await audit()).toEqual([]);
  }, 60_000);

  it.each([
    ['rows of its own receipt', opened('mink', ['document_version', 'document', 'chunk']), /mink.* accepted$/],
    ['passages of a batch', opened('otter', ['chunk']), /otter.*passage \S+ says that others may see it/],
    ['passages of local ingest', opened('shrew', ['chunk']), /shrew.*passage \S+ says that others may see it/],
    ['the row that is listed', opened('mink', ['document']), /mink.*its document says that others may see it/],
    [
      'its shard',
      [shard('owner_only', 'public_safe'), shard('public_safe', 'owner_only')],
      /badger.*passage \S+ is in no shard of those who may see it/,
    ],
    [
      'a document without its row',
      [`delete from document where doc_id = 'mink'`, 'insert into document select * from gone'],
      /mink.*its document is gone/,
    ],
    ['an older version that is current', [moved(1), moved(2)], /coypu, version 2.*its version is not the current one/],
  ] as const)('is held against what was accepted: %s', async (_what, [sql, undo], fault) => {
    await tamper(sql);
    const faults = await audit();
    const newest = await newestFaults();
    await tamper(undo);
    expect([faults.find((one) => fault.test(one)), newest.find(({ detail }) => fault.test(detail))]).toEqual([
      expect.any(String),
      expect.objectContaining({ check: 'documents' }),
    ]);
    expect(await audit()).toEqual([]);
  });

  it('is not held against what is left of a tenant while its rows are erased', async () => {
    const stateOf = (state: string, at: string, clearing: string) =>
      `update tenant set state = '${state}', erase_after = ${at}, erasure_began_at = ${at}, erased_clearing = ${clearing} where tenant_id = '${acme.tenantId}'`;
    await tamper(`delete from document where doc_id = 'mink'; ${stateOf('deleted', 'now()', '0')}`);
    const [faults, newest] = [await audit(), await newestFaults()];
    await tamper(`insert into document select * from gone; ${stateOf('active', 'null', 'null')}`);
    expect([...faults, ...newest.map(({ detail }) => detail)].filter((one) => one.includes('mink'))).toEqual([]);
    expect(await audit()).toEqual([]);
  });
});

describe('what a row says that is in no text', () => {
  const evil = `'key:evil'`;
  beforeAll(async () => {
    await ingest(acme, [{ docId: 'stoat', content: 'The stoat turns white.' }]);
    const [passage] = await api.database.query<{ chunk_id: string }>(
      `select chunk_id from chunk where doc_id = 'stoat'`,
    );
    const citations = [{ chunkId: passage!.chunk_id }];
    const named = { answerId: 'winter', agentId: 'agent-1', idempotencyKey: 'key-of-winter' };
    const header = { 'x-idempotency-key': named.idempotencyKey };
    const recording = { ...named, answerText: 'White.', citations };
    expect((await acme.call('POST', '/v1/citations', recording, header)).status).toBe(201);
    await api.app.get(LogSequencer).integrate();
    const tables = ['document_version', 'chunk', 'answer', 'citation'];
    await tamper(tables.map((table) => `create table kept_${table} as select * from ${table}`).join('; '));
    expect(await audit()).toEqual([]);
  }, 60_000);

  const undo = `
    update document_version r set content_hash = k.content_hash, accepted_by = k.accepted_by, accepted_at = k.accepted_at
      from kept_document_version k where (k.doc_id, k.version) = (r.doc_id, r.version);
    update chunk r set location = k.location from kept_chunk k where k.chunk_id = r.chunk_id;
    update answer r set recorded_by = k.recorded_by, recorded_at = k.recorded_at from kept_answer k where k.answer_id = r.answer_id;
    update citation r set location = k.location from kept_citation k where k.answer_id = r.answer_id`;

  it.each([
    [`document_version set content_hash = sha256('') where doc_id = 'stoat'`, /stoat.*its digest is not that of/],
    [`document_version set content_hash = sha256('') where doc_id = 'otter'`, /otter.*its digest is not that of/],
    [`document_version set accepted_by = ${evil} where doc_id = 'stoat'`, /stoat.*names another writer/],
    [`document_version set accepted_by = ${evil} where doc_id = 'vole'`, /vole.*names another writer/],
    [`document_version set accepted_at = '2026-01-01' where doc_id = 'vole'`, /vole.*is of another time/],
    [`chunk set location = '{"page":3}' where doc_id = 'beaver'`, /beaver.*stands in another place of its file/],
    [`chunk set location = '{"page":3}' where doc_id = 'stoat'`, /stoat.*stands in another place of its file/],
    [`answer set recorded_by = ${evil}`, /answer of receipt.*names another writer/],
    [`answer set recorded_at = recorded_at - interval '9 days'`, /answer of receipt.*is of another time/],
    [`citation set location = '{"page":4}'`, /answer of receipt.*citation 0 stands in another place/],
  ])('is held against the receipt: %s', async (sql, fault) => {
    await tamper(`update ${sql}`);
    const faults = await audit();
    await tamper(undo);
    expect(faults).toContainEqual(expect.stringMatching(fault));
    expect(await audit()).toEqual([]);
  });
});

describe('a document that is sent again unchanged', () => {
  const grebe = { docId: 'grebe', content: 'The grebe stands still.' };
  const writtenBy = (who: string) => `update document_version set accepted_by = '${who}' where doc_id = 'grebe'`;
  afterEach(() => void vi.useRealTimers());

  it('by others, alone, in a batch or at the daemon, or days later, is whole, and another writer is found', async () => {
    const { apiKey } = (await acme.call('POST', '/v1/org/api-keys', { label: 'second' })).body as { apiKey: string };
    const second = { ...acme, call: caller(api.url, acme.tenantId, apiKey) };
    await ingested(acme, grebe);
    await ingested(second, grebe);
    const batch = await second.call('POST', '/v1/ingest/batch', { documents: [documentOf(acme, grebe)] });
    await ended(second, batch.body.accepted[0].ingestId as string);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 3_600_000 });
    await ingested(acme, grebe);
    vi.useRealTimers();
    await api.app.get(LogSequencer).integrate();
    const rows = await receiptsOf('grebe');
    expect([rows.length, new Set(rows.map(({ receipt_id: id }) => id)).size]).toEqual([4, 4]);
    expect([await audit(), await newestFaults()]).toEqual([[], []]);
    await tamper(writtenBy('key:evil'));
    const faults = await audit();
    await tamper(writtenBy(`key:${acme.keyId}`));
    expect([faults.length, faults[0], await audit()]).toEqual([4, expect.stringMatching(/names another writer/), []]);
  });
});

describe('documents that come together', () => {
  it('have one receipt of their acceptance and one of their completion, with a root over them', async () => {
    const rows = await receiptsOf('otter', 'beaver', 'vole');
    const [accepted, completed] = [
      new Set(rows.map((row) => row.receipt_id)),
      new Set(rows.map((row) => row.completed_id)),
    ];
    expect([rows.length, accepted.size, completed.size]).toEqual([3, 1, 1]);
    const root = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(await open([...accepted][0]!)).toMatchObject({
      ...{ kind: 'ingest.batch_accepted', stream: 'main', subject: 'documents', body: { count: 3, root } },
      actor: expect.stringMatching(/^key:/),
    });
    expect(await open([...completed][0]!)).toMatchObject({
      ...{ kind: 'ingest.batch_completed', stream: 'ingest', subject: 'documents', body: { count: 3, root } },
      actor: 'svc:ingest',
    });
    expect(await audit()).toEqual([]);
  });

  it('count as many as they are in the rate of a look at the evidence', async () => {
    const keys = api.app.get(KnownKeys, { strict: false });
    const steps = await api.app.get(CrossTenant, { strict: false }).run('test', async (query) => {
      const look = await EvidenceLook.begin(query, { checks: [], keys });
      const examined: number[] = [];
      while (look.at.part === 'receipts') {
        const before = look.at.examined;
        await look.step(query, 1);
        examined.push(look.at.examined - before);
      }
      return examined;
    });
    expect(steps.filter((rows) => rows === 3)).toHaveLength(2);
  });

  it('are proven one by one, offline, without a word of the others', async () => {
    for (const mode of ['light', 'verified', 'audit']) {
      const job = await prove(acme, { artefact_id: 'handbook/beaver', mode });
      expect([job.verdict, outcomes(job.checks).content]).toEqual(['holds', 'ok']);
      const pack = await packOf(job.receiptId);
      const { receipts, chunks, format } = JSON.parse(pack.toString());
      expect([format, verifyPack(pack).ok, judge(pack).ok, receipts.length]).toEqual([
        'svc-proofpack-v3',
        true,
        true,
        3,
      ]);
      const [row] = await receiptsOf('beaver');
      expect(chunks[0].binding).toMatchObject({
        receipt_id: row!.completed_id,
        document: { ingest_id: row!.ingest_id, passages: chunks.length },
        accepted: { ingest_id: row!.ingest_id, receipt_id: row!.receipt_id, shareability: 'owner_only' },
      });
      expect(pack.toString()).not.toMatch(/otter|vole/);
    }
  });

  it('is not shown by the leaf of another, or by a document that the batch does not hold', async () => {
    const job = await prove(acme, { artefact_id: 'handbook/beaver', mode: 'light' });
    const file = JSON.parse((await packOf(job.receiptId)).toString());
    const [chunk] = file.chunks;
    for (const [name, change] of [
      ['document', { index: (chunk.binding.document.index + 1) % 3 }],
      ['document', { passages: 7 }],
      ['accepted', { shareability: 'public_safe' }],
      ['accepted', { path: [] }],
    ] as const) {
      const binding = { ...chunk.binding, [name]: { ...chunk.binding[name], ...change } };
      const bytes = Buffer.from(canonical({ ...file, chunks: [{ ...chunk, binding }, ...file.chunks.slice(1)] }));
      const failed = verifyPack(bytes).checks.find(({ ok }) => !ok)!;
      expect([name, failed.name, judge(bytes).failed]).toEqual([name, 'chunks', 'chunks']);
    }
  });

  it('of which one was altered is broken in that one', async () => {
    await ingest(acme, [
      { docId: 'heron', content: 'The heron waits.' },
      { docId: 'stork', content: 'The stork returns.' },
    ]);
    await tamper(`update document_version set shareability = 'public_safe' where doc_id = 'stork'`);
    const verdicts = await Promise.all(
      ['heron', 'stork'].map(async (docId) => (await prove(acme, { artefact_id: `handbook/${docId}` })).verdict),
    );
    expect(verdicts).toEqual(['holds', 'broken']);
    expect(await audit()).toEqual([expect.stringMatching(/document stork, .*is not what was accepted/)]);
    await tamper(`update document_version set shareability = 'owner_only' where doc_id = 'stork'`);
  });

  it('do not take in one that an insider adds under their receipt', async () => {
    await tamper(
      `update ingest set receipt_id = (select receipt_id from ingest where doc_id = 'otter') where doc_id = 'stork'`,
    );
    expect(await audit()).toEqual([
      'document_version handbook/stork/1 of tenant acme: no receipt speaks of it',
      'chunk handbook/stork/1 of tenant acme: no receipt speaks of it',
      'document handbook/stork/1 of tenant acme: no receipt speaks of it',
    ]);
    await tamper(
      `update ingest set receipt_id = (select receipt_id from ingest where doc_id = 'heron') where doc_id = 'stork'`,
    );
    expect(await audit()).toEqual([]);
  });

  it('are erased one by one: the others stay provable, and the evidence whole', async () => {
    const [before] = await receiptsOf('vole');
    const selector = { documents: [{ corpus_id: 'handbook', doc_id: 'vole' }] };
    const done = await call('POST', '/v1/facts/erase', selector);
    expect([done.status, done.body.erasure.counts.ingest]).toEqual([200, 1]);
    const [batch] = await api.database.query<{ ingests: string[] }>(
      'select ingests from ingest_batch where receipt_id = $1',
      [before!.receipt_id],
    );
    expect([batch!.ingests.length, batch!.ingests.includes(before!.ingest_id)]).toEqual([3, false]);
    await api.app.get(LogSequencer).integrate();
    expect(await audit()).toEqual([]);
    const job = await prove(acme, { artefact_id: 'handbook/otter', mode: 'audit' });
    expect([job.verdict, verifyPack(await packOf(job.receiptId)).ok]).toEqual(['holds', true]);
    const erased = `select receipt_id from receipt where kind = 'erasure.documents'`;
    expect(await api.database.query(erased)).toHaveLength(1);
    await tamper(`delete from receipt where kind = 'erasure.documents'`);
    expect(await audit()).toContainEqual(expect.stringMatching(/leaf \d of .* names no ingest, and no receipt says/));
  });
});

/** RFC 8785 of texts, whole numbers and containers. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

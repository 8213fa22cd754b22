import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { blake3, blake3Digest } from '../../../src/evidence/digest.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenAnswer, givenDocument, outcomes, prove, retrieve } from './given.js';
import { verifyByCommand } from './verify-command.js';

const MODES = ['light', 'verified', 'audit'];
/** Divided into several passages. */
const LONG = Array.from(
  { length: 24 },
  (_, n) => `# Part ${n}\n\n${`The harbour gate number ${n} opens at dawn, when the tide allows it. `.repeat(4)}`,
).join('\n\n');

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

/** As somebody with the database in hand: past row-level security, triggers and checks. */
async function tamper(sql: string, parameters: unknown[] = []): Promise<void> {
  const client = new Client({ connectionString: api.database.superuserUrl });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(sql, parameters);
  } finally {
    await client.end();
  }
}

const forge = (chunkId: string, text: string) =>
  tamper('update chunk set content = $2, content_hash = $3 where chunk_id = $1', [
    chunkId,
    text,
    Buffer.from(blake3(text)),
  ]);

const findOne = async (query: string, tenant = acme) => (await retrieve(tenant, query))[0];
const receiptsOf = (docId: string) =>
  api.database.query<{ kind: string; stream: string; version: number }>(
    `select r.kind, r.stream, i.version from receipt r join ingest i on r.subject = i.ingest_id::text
     where i.doc_id = $1 and r.kind = 'ingest.completed' order by i.version`,
    [docId],
  );

async function packOf(receiptId: string, tenant = acme): Promise<Buffer> {
  const response = await fetch(`${api.url}/v1/proof/receipts/${receiptId}/proofpack`, {
    headers: { 'x-tenant-id': tenant.tenantId, 'x-api-key': tenant.apiKey },
  });
  return Buffer.from(await response.arrayBuffer());
}

/** What fails of a proof in each mode, and whether its pack verifies without the text. */
async function proveInAll(request: object): Promise<[string, string[], boolean, number][]> {
  const found: [string, string[], boolean, number][] = [];
  for (const mode of MODES) {
    const job = await prove(acme, { ...request, mode });
    const results = Object.entries(outcomes(job.checks));
    const wrong = results.filter(([, result]) => result === 'failed').map(([name]) => name);
    const pack = await packOf(job.receiptId);
    found.push([job.verdict, wrong, verifyPack(pack).ok, JSON.parse(pack.toString()).chunks.length]);
  }
  return found;
}

const broken = (...wrong: string[]) => MODES.map(() => ['broken', wrong, true, 0]);

describe('the receipt of an ingest', () => {
  it('is left once a version, over its document and passages', async () => {
    await givenDocument(acme, { text: LONG, docId: 'gates' });
    await givenDocument(acme, { text: LONG, docId: 'gates' });
    expect(await receiptsOf('gates')).toEqual([{ kind: 'ingest.completed', stream: 'ingest', version: 1 }]);
    await givenDocument(acme, { text: `${LONG}\n\nThe end.`, docId: 'gates' });
    expect((await receiptsOf('gates')).map(({ version }) => version)).toEqual([1, 2]);
    const [receipt] = await api.database.query<{ receipt_id: string }>(
      `select receipt_id from receipt where kind = 'ingest.completed' order by seq limit 1`,
    );
    const [{ chunks }] = (await api.database.query<{ chunks: number }>(
      `select count(*)::int as chunks from chunk where doc_id = 'gates' and version = 1`,
    )) as [{ chunks: number }];
    expect(chunks).toBeGreaterThan(5);
    const { body } = await acme.call('GET', `/v1/proof/receipts/${receipt!.receipt_id}/proofpack`);
    expect(body.subject.type).toBe('ingest.completed');
    expect(await proveInAll({ artefact_id: 'handbook/gates' })).toEqual(
      MODES.map(() => ['holds', [], true, expect.any(Number)]),
    );
  });

  it('exists exactly when the version does', async () => {
    await tamper(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no receipt today'; end $$`,
    );
    await tamper(
      `create trigger refuse before insert on receipt for each row when (new.kind = 'ingest.completed') execute function refuse()`,
    );
    try {
      const { body } = await acme.call('POST', '/v1/ingest', {
        ...{ tenantId: 'acme', corpusId: 'handbook', docId: 'unbound', title: 'U', content: 'The unbound text.' },
        ...{ url: 'https://example.org/u', shareability: 'owner_only' },
      });
      const read = async () => (await acme.call('GET', `/v1/ingest/${body.ingestId}`)).body.error as string | null;
      await expect.poll(read, { timeout: 10_000 }).toMatch(/attempt to index the document failed/);
      const sql = `select current_version, (select count(*)::int from chunk where doc_id = 'unbound') as chunks
        from document where doc_id = 'unbound'`;
      expect(await api.database.query(sql)).toEqual([{ current_version: null, chunks: 0 }]);
    } finally {
      await tamper('drop trigger refuse on receipt');
      await tamper('drop function refuse()');
    }
    await expect.poll(async () => (await receiptsOf('unbound')).length, { timeout: 30_000 }).toBe(1);
  }, 60_000);
});

describe('what the database is made to say', () => {
  it('a passage that was never cited: its text and hash', async () => {
    await givenDocument(acme, { text: 'The strongroom opens at nine.', docId: 'strongroom' });
    const { chunkId } = await findOne('strongroom opens');
    await forge(chunkId, 'The strongroom opens at eight.');
    expect(await proveInAll({ artefact_id: chunkId })).toEqual(broken('content'));
    expect(await proveInAll({ artefact_id: 'handbook/strongroom' })).toEqual(broken('content', 'document'));
    const answerId = await givenAnswer(acme, [chunkId]);
    expect(await proveInAll({ answerId })).toEqual(broken('content'));
  });

  it('a passage that was cited before', async () => {
    await givenDocument(acme, { text: 'The cellar opens at nine.', docId: 'cellar' });
    const { chunkId } = await findOne('cellar opens');
    const answerId = await givenAnswer(acme, [chunkId]);
    await forge(chunkId, 'The cellar opens at eight.');
    const verdicts = await proveInAll({ answerId });
    expect(verdicts.map(([verdict, wrong]) => [verdict, wrong.includes('content')])).toEqual(
      MODES.map(() => ['broken', true]),
    );
  });

  it('the text of an answer, and the text kept with a citation', async () => {
    await givenDocument(acme, { text: 'The loft opens at nine.', docId: 'loft' });
    const { chunkId } = await findOne('loft opens');
    const answerId = await givenAnswer(acme, [chunkId], { answerText: 'It opens at nine.' });
    expect((await prove(acme, { answerId })).verdict).toBe('holds');
    await tamper('update answer set answer_text = $2 where answer_id = $1', [answerId, 'It opens at eight.']);
    expect((await proveInAll({ answerId })).map(([verdict, wrong]) => [verdict, wrong])).toEqual(
      MODES.map(() => ['broken', ['answer']]),
    );
    await tamper('update answer set answer_text = $2 where answer_id = $1', [answerId, 'It opens at nine.']);
    await tamper('update citation set content = $2 where answer_id = $1', [answerId, 'The loft opens at eight.']);
    expect((await proveInAll({ answerId })).map(([verdict, wrong]) => [verdict, wrong])).toEqual(
      MODES.map(() => ['broken', ['answer']]),
    );
  });

  it('the text of a document, with the digest next to it', async () => {
    await givenDocument(acme, { text: 'The attic opens at nine.', docId: 'attic' });
    const { chunkId } = await findOne('attic opens');
    const text = 'The attic opens at eight.';
    await tamper(`update document_version set content = $1, content_hash = $2 where doc_id = 'attic'`, [
      text,
      Buffer.from(blake3(text)),
    ]);
    const verdicts = [
      ...(await proveInAll({ artefact_id: 'handbook/attic' })),
      ...(await proveInAll({ artefact_id: chunkId })),
    ];
    expect(verdicts.map(([verdict, wrong]) => [verdict, wrong.includes('content')])).toEqual(
      [...MODES, ...MODES].map(() => ['broken', true]),
    );
    const job = await prove(acme, { artefact_id: 'handbook/attic' });
    expect(job.checks.find(({ name }: { name: string }) => name === 'document').detail).toBe(
      `the document's text has ${blake3Digest(text)}, ingest.accepted says "${blake3Digest('The attic opens at nine.')}"`,
    );
  });

  it.each<[string, string]>([
    ['a passage is gone', `delete from chunk where doc_id = $1 and ordinal = 3`],
    ['every passage is gone', `delete from chunk where doc_id = $1`],
    ['two passages change places', `update chunk set ordinal = 7 - ordinal where doc_id = $1 and ordinal in (3, 4)`],
    ['a span is another', `update chunk set end_offset = end_offset - 1 where doc_id = $1 and ordinal = 5`],
    [
      'a passage has another name',
      `update chunk set chunk_id = 'chk_' || repeat('0', 32) where doc_id = $1 and ordinal = 5`,
    ],
    [
      'the acceptance is another',
      `update ingest set receipt_id = (select receipt_id from ingest where doc_id = 'gates' limit 1) where doc_id = $1`,
    ],
    [
      'the receipt over it is altered',
      `update receipt set cose = set_byte(cose, length(cose) - 1, get_byte(cose, length(cose) - 1) # 1) where kind = 'ingest.completed' and subject = (select ingest_id::text from ingest where doc_id = $1)`,
    ],
    ['no ingest is known', `delete from ingest where doc_id = $1`],
  ])('that %s of a document of many', async (what, sql) => {
    const docId = `many ${what}`;
    await givenDocument(acme, { text: LONG, docId });
    expect((await prove(acme, { artefact_id: `handbook/${docId}` })).verdict).toBe('holds');
    await tamper(sql, [docId]);
    const job = await prove(acme, { artefact_id: `handbook/${docId}` });
    expect([job.verdict, outcomes(job.checks).document]).toEqual(['broken', 'failed']);
  });

  it('a passage that another tenant shares, of which nothing else is said', async () => {
    const other = await api.addTenant('publisher');
    const shared = {
      text: 'Ferries sail at noon.',
      corpusId: 'city',
      docId: 'ferries',
      shareability: 'public_safe' as const,
    };
    await givenDocument(other, shared);
    const { chunkId } = await findOne('ferries sail');
    const job = await prove(acme, { artefact_id: chunkId });
    const pack = await packOf(job.receiptId);
    const { receipts, chunks } = JSON.parse(pack.toString());
    expect([job.verdict, verifyPack(pack).ok, receipts.length, chunks[0].binding]).toEqual(['holds', true, 1, null]);
    await forge(chunkId, 'Ferries sail at one.');
    const again = await prove(acme, { artefact_id: chunkId });
    const { detail } = again.checks.find(({ name }: { name: string }) => name === 'content');
    expect([again.verdict, detail]).toEqual(['broken', `passage ${chunkId}: it is not what its owner ingested`]);
  });
});

describe('a pack', () => {
  let harbour: TestTenant;
  beforeAll(async () => {
    harbour = await api.addTenant('harbour');
    await givenDocument(harbour, { text: LONG, docId: 'gates' });
  });

  it('has a path for each text of a long document, and is refused with any other', async () => {
    const { chunkId } = await findOne('gate number 17', harbour);
    const job = await prove(harbour, { artefact_id: chunkId });
    const pack = JSON.parse((await packOf(job.receiptId, harbour)).toString());
    const [chunk] = pack.chunks;
    expect(chunk.binding.path.length).toBeGreaterThan(1);
    const made = (binding: object | null) => remake(job.receiptId, chunk, pack.receipts, binding);
    expect(verifyPack(await made(chunk.binding)).ok).toBe(true);
    const { path } = chunk.binding;
    for (const other of [
      null,
      { ...chunk.binding, index: chunk.binding.index + 1 },
      { ...chunk.binding, path: path.slice(1) },
    ]) {
      const wrong = verifyPack(await made(other)).checks.filter(({ ok }) => !ok);
      expect(wrong.map(({ name }) => name)).toEqual(['chunks']);
    }
  });

  it('of an altered text that the server signs is refused by the command', async () => {
    await givenDocument(harbour, { text: 'The archive opens at nine.', docId: 'archive' });
    const { chunkId } = await findOne('archive opens', harbour);
    const text = 'The archive opens at eight.';
    await forge(chunkId, text);
    const job = await prove(harbour, { artefact_id: chunkId });
    const { receipts } = JSON.parse((await packOf(job.receiptId, harbour)).toString());
    const [kind] = await api.database.query<{ receipt_id: string; path: null }>(
      `select r.receipt_id from receipt r join ingest i on r.subject = i.ingest_id::text where i.doc_id = 'archive' and r.kind = 'ingest.completed'`,
    );
    const chunk = {
      chunk_id: chunkId,
      content: text,
      content_hash: blake3Digest(text),
      corpus_id: 'handbook',
      doc_id: 'archive',
      version: 1,
    };
    for (const binding of [null, { receipt_id: kind!.receipt_id, index: 0, path: [], start: 0, end: text.length }]) {
      const file = await remake(job.receiptId, chunk, receipts, binding);
      expect(await verifyByCommand(file)).toMatchObject({ code: 1, failed: 'chunks' });
    }
  });

  /** As the server would sign it, with whatever is said of the text. */
  function remake(
    receiptId: string,
    chunk: object,
    receipts: { receipt_id: string }[],
    binding: object | null,
  ): Promise<Uint8Array> {
    const chunks = [{ ...chunk, receipt_id: receiptId, binding }] as never;
    const ids = receipts.map(({ receipt_id }) => receipt_id);
    return api.app
      .get(Tenancy)
      .run('harbour', () =>
        api.app.get(ProofPacks).make({ subject: { type: 'chunk', id: 'c' }, receiptIds: ids, chunks }),
      );
  }
});

describe('a version from before there were such receipts', () => {
  const text = 'The mill grinds on Tuesdays.';
  const html = '<!doctype html><html><body><h1>Mill</h1><p>It <b>grinds</b>&nbsp;rye &amp; oats.</p></body></html>';
  let mill: TestTenant;
  beforeAll(async () => {
    mill = await api.addTenant('mill');
    await givenDocument(mill, { text, docId: 'days' });
    await givenDocument(mill, { text: html, docId: 'page' });
    await givenDocument(mill, { text: 'The weir is shut on Mondays.', docId: 'weir' });
    await tamper(`update ingest set completed_id = null where tenant_id = 'mill'`);
    await tamper(`delete from receipt where tenant_id = 'mill' and kind = 'ingest.completed'`);
    await tamper(`delete from receipt_head where tenant_id = 'mill' and stream = 'ingest'`);
  });
  const millPack = async (receiptId: string) => {
    const { text: file } = await mill.call('GET', `/v1/proof/receipts/${receiptId}/proofpack`);
    return { ok: verifyPack(Buffer.from(file)).ok, ...JSON.parse(file) };
  };

  it('has no text in a pack until it is proven, and gets its receipt then', async () => {
    const { chunkId } = await findOne('mill Tuesdays', mill);
    const answerId = await givenAnswer(mill, [chunkId]);
    const { body } = await mill.call('GET', `/v1/proof/answers/${answerId}/receipt`);
    const before = await millPack(body.receiptId);
    expect([before.ok, before.chunks]).toEqual([true, []]);
    const job = await prove(mill, { answerId });
    expect([job.verdict, outcomes(job.checks).content]).toEqual(['holds', 'ok']);
    const after = await millPack(body.receiptId);
    expect([after.ok, after.chunks.map(({ content }: any) => content), after.receipts.length]).toEqual([
      true,
      [text],
      2,
    ]);
    await prove(mill, { answerId });
    expect((await receiptsOf('days')).length).toBe(1);
  });

  it('holds in HTML too, whose passages are not slices of it', async () => {
    const job = await prove(mill, { artefact_id: 'handbook/page' });
    expect([job.verdict, job.chunkCount, (await receiptsOf('page')).length]).toEqual(['holds', 1, 1]);
  });

  it('gets none where a passage does not stand in its document', async () => {
    const { chunkId } = await findOne('weir Mondays', mill);
    await forge(chunkId, 'The weir is shut on Fridays.');
    const job = await prove(mill, { artefact_id: chunkId });
    expect([job.verdict, outcomes(job.checks).content, await receiptsOf('weir')]).toEqual(['broken', 'failed', []]);
  });
});

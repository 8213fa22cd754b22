import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { FileReadingService } from '../../../src/modules/knowledge/ingest/files/file-reading.service.js';
import { IngestFilesStore } from '../../../src/modules/knowledge/ingest/files/ingest-files.store.js';
import type { AcceptedFile } from '../../../src/modules/knowledge/ingest/files/ingest-files.types.js';
import { SUBJECT_CHECKS } from '../../../src/modules/operations/readiness/subject-checks.js';
import { docxOf, pdfOf, wordXml } from '../../kit/archives.js';
import { startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { asSuperuser } from '../../kit/database.js';
import { waitForBlocked, whileLocked } from '../../kit/held-lock.js';
import { ended, found, ingested } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi({ env: { SVC_MAX_FILE_MIB: '8' } });
  acme = api.tenant;
});
afterAll(() => api.close());

const shipped = (name: string): Buffer => readFileSync(join(import.meta.dirname, '..', '..', 'data', 'files', name));

interface Sending {
  query?: Record<string, string>;
  fields?: Record<string, string>;
  name?: string;
  type?: string;
  headers?: Record<string, string>;
}

/** A form says its own content type. */
const post = (body: unknown, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  acme.call('POST', path, body, { 'content-type': '', ...headers });

const pathOf = (query: Record<string, string>): string => `/v1/ingest/file?${new URLSearchParams(query).toString()}`;

/** As `curl -F file=@…` sends it. */
function sendForm(bytes: Uint8Array, { query = {}, fields = {}, name = 'a.txt', type, headers }: Sending = {}) {
  const form = new FormData();
  const file = new Blob([Buffer.from(bytes)], type === undefined ? {} : { type });
  form.append('file', file, name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  return post(form, pathOf(query), headers);
}

/** As `curl --data-binary @…` sends it. */
const sendRaw = (bytes: Uint8Array, { query = {}, type = 'application/octet-stream', headers = {} }: Sending = {}) =>
  post(Buffer.from(bytes), pathOf(query), { 'content-type': type, ...headers });

/** What becomes of a file that is accepted. */
async function outcomeOf(sent: Promise<Answer>): Promise<string> {
  const { status, body } = await sent;
  expect([status, body]).toEqual([202, { ingestId: expect.any(String), status: 'queued' }]);
  const end = await ended(acme, body.ingestId as string, 90_000);
  return end.status === 'completed' ? 'completed' : `${end.status}: ${end.error}`;
}

/** A file as it is stored, without a job. */
const storedFile = (docId = 'race.txt'): AcceptedFile => ({
  ...{ ingestId: uuid(), corpusId: 'handbook', docId, fileName: 'race.txt', mediaType: 'text/plain' },
  ...{ title: null, url: null, shareability: 'owner_only', metadata: null, digest: Buffer.alloc(32) },
  ...{ content: Buffer.from('Text.'), acceptedBy: `key:${acme.keyId}`, authMode: 'api_key', agentSession: null },
});
/** Stores a file without a job, and says how it is read. */
async function waitingFile(docId: string) {
  const file = storedFile(docId);
  await api.app.get(Tenancy).run(acme.tenantId, () => api.app.get(IngestFilesStore).record(file));
  const read = () => api.app.get(FileReadingService).read(acme.tenantId, file.ingestId);
  const claim = () =>
    api.app.get(Tenancy).run(acme.tenantId, () => api.app.get(IngestFilesStore).claimNext(file.ingestId));
  return { read, claim, end: async () => (await ended(acme, file.ingestId)).error ?? 'completed' };
}
const inCorpus = (name: string): Sending => ({ fields: { corpusId: 'handbook' }, name });
const remove = (docId: string) => acme.call('DELETE', `/v1/documents/handbook/${docId}`);
const DELETED = 'The document was deleted before this version was indexed.';
/** An acceptance waits for it late, when it holds its document. */
const receiptsHead = () => `select from receipt_head where tenant_id = '${acme.tenantId}' for update`;
const readDocument = async (docId: string) => (await acme.call('GET', `/v1/documents/handbook/${docId}`)).body;

describe('a file', () => {
  it('becomes a document that is found, with the place in the file', async () => {
    expect(await outcomeOf(sendForm(shipped('manual.pdf'), inCorpus('manual.pdf')))).toBe('completed');
    const [result] = await found(acme, 'spare parts cabinet');
    expect(result).toMatchObject({ docId: 'manual.pdf', title: 'Reactor manual', url: null });
    expect(result).toHaveProperty('location', { page: 1, to: { page: 3 } });
    const { body: passage } = await acme.call('GET', `/v1/passages/${result!.chunkId}`);
    expect(passage.location).toEqual({ page: 1, to: { page: 3 } });
  });

  it('is named in the metadata of its document and in the receipt of its acceptance', async () => {
    const bytes = shipped('manual.pdf');
    const { metadata } = await readDocument('manual.pdf');
    const file = { name: 'manual.pdf', mediaType: 'application/pdf', digest: blake3Digest(bytes), bytes: bytes.length };
    expect(metadata).toEqual({ contentType: 'text/plain', file });
    const [row] = await api.database.query<{ cose: Buffer }>(
      `select r.cose from receipt r join ingest i on i.receipt_id = r.receipt_id where i.doc_id = 'manual.pdf'`,
    );
    const { name, mediaType: media_type, ...rest } = file;
    expect(openReceipt(Uint8Array.from(row!.cose)).payload.body).toMatchObject({
      ...{ doc_id: 'manual.pdf', version: 1 },
      file: { name, media_type, ...rest, places: expect.stringMatching(/^blake3:/) },
    });
  });

  it.each(['leave.docx', 'budget.xlsx', 'review.pptx', 'book.epub', 'engine.eml', 'notice.rtf', 'printed.pdf'])(
    '%s is completed, from a form and as a raw body',
    async (name) => {
      expect(await outcomeOf(sendForm(shipped(name), inCorpus(name)))).toBe('completed');
      const query = { corpusId: 'handbook', fileName: name, docId: `raw-${name}`, title: 'Sent raw' };
      expect(await outcomeOf(sendRaw(shipped(name), { query }))).toBe('completed');
      expect((await readDocument(`raw-${name}`)).title).toBe('Sent raw');
      expect((await readDocument(`raw-${name}`)).content).toBe((await readDocument(name)).content);
    },
  );

  it('has members in the form or the query, before or after it', async () => {
    const fields = {
      docId: 'with-members',
      title: 'Members',
      url: 'https://example.com/members',
      shareability: 'entitled_only',
      metadata: '{"owner":"ops"}',
    };
    const form = { query: { corpusId: 'handbook' }, fields, name: 'C:\\files\\notes.txt' };
    expect(await outcomeOf(sendForm(Buffer.from('Notes on quokkas.'), form))).toBe('completed');
    expect(await readDocument('with-members')).toMatchObject({
      ...{ title: 'Members', url: 'https://example.com/members', shareability: 'entitled_only' },
      metadata: { owner: 'ops', contentType: 'text/plain', file: { name: 'notes.txt', mediaType: 'text/plain' } },
      content: 'Notes on quokkas.',
    });
  });

  it('says the sheet and the cells of a passage, and a citation keeps them', async () => {
    const [row] = await found(acme, 'server rent licences', { corpusIds: ['handbook'] });
    const location = { sheet: 'Costs', cells: 'A1:C1', to: { sheet: 'Staff', cells: 'A3:C3' } };
    expect(row).toHaveProperty('location', location);
    const citing = { agentId: 'files-agent', answerId: 'files-1', idempotencyKey: crypto.randomUUID() };
    const body = { ...citing, citations: [{ chunkId: row!.chunkId }] };
    const cited = await acme.call('POST', '/v1/citations', body, { 'x-idempotency-key': '' });
    expect([cited.status, cited.body.citations[0].location]).toEqual([201, location]);
  });

  it('that is sent again unchanged is the same version; changed it is the next', async () => {
    const send = (text: string) => outcomeOf(sendForm(Buffer.from(text), inCorpus('versions.md')));
    expect(await send('# One\n\nFirst text.')).toBe('completed');
    expect(await send('# One\n\nFirst text.')).toBe('completed');
    expect((await readDocument('versions.md')).version).toBe(1);
    expect(await send('# One\n\nSecond text.')).toBe('completed');
    expect(await readDocument('versions.md')).toMatchObject({ version: 2, content: '# One\n\nSecond text.' });
  });

  it('of many that are sent at once for a document the last one stays', async () => {
    const sent: Answer[] = [];
    for (let n = 0; n < 6; n += 1) sent.push(await sendForm(Buffer.from(`Take number ${n}.`), inCorpus('takes.txt')));
    for (const { body } of sent) await ended(acme, body.ingestId as string);
    expect((await readDocument('takes.txt')).content).toBe('Take number 5.');
  });

  it('is found where another worker ends an older one of the document at the same moment', async () => {
    const files = api.app.get(IngestFilesStore);
    const tenancy = api.app.get(Tenancy);
    const [older, newer] = [storedFile(), storedFile()];
    await tenancy.run(acme.tenantId, async () => {
      await files.record(older);
      await files.record(newer);
    });
    const locked = Promise.withResolvers<void>();
    const ending = tenancy.run(acme.tenantId, async () => {
      await files.lock(older);
      locked.resolve();
      await waitForBlocked(api.database, 1);
      await files.remove(older.ingestId);
    });
    await locked.promise;
    const claimed = await tenancy.run(acme.tenantId, () => files.claimNext(newer.ingestId));
    await ending;
    expect(claimed?.ingestId).toBe(newer.ingestId);
    await tenancy.run(acme.tenantId, () => files.remove(newer.ingestId));
  });

  it('that waits ends with the deletion of its document, one that is new as well', async () => {
    const file = await waitingFile('withdrawn.txt');
    const before = await api.database.query(`select from outbox_event where kind = 'document.withdrawn'`);
    const deleted = await remove('withdrawn.txt');
    expect([deleted.status, deleted.body.receiptId]).toEqual([200, expect.any(String)]);
    expect(await api.database.query(`select from outbox_event where kind = 'document.withdrawn'`)).toHaveLength(
      before.length + 1,
    );
    await file.read();
    expect(await file.end()).toBe(DELETED);
    expect((await remove('withdrawn.txt')).status).toBe(404);
  });

  it('whose text is ready while its document is being deleted is not found', async () => {
    await ingested(acme, { docId: 'deleting.txt' });
    const file = await waitingFile('deleting.txt');
    await whileLocked(api.database, `select from document where doc_id = 'deleting.txt' for update`, async (held) => {
      const deleting = remove('deleting.txt');
      await held.waitForBlocked(1, 'update document set deleted_at');
      const reading = file.read();
      await held.waitForBlocked(1, 'from ingest_file');
      await held.commit();
      expect((await deleting).status).toBe(200);
      await reading;
    });
    expect(await file.end()).toBe(DELETED);
    expect((await readDocument('deleting.txt')).type).toBe('DocumentUnknown');
  });

  it('whose text is being accepted when its new document is deleted is not found', async () => {
    const file = await waitingFile('accepting.txt');
    await whileLocked(api.database, receiptsHead(), async (held) => {
      const reading = file.read();
      await held.waitForBlocked(1, 'receipt_head');
      const deleting = remove('accepting.txt');
      await held.waitForBlocked(1, 'from ingest_file');
      await held.commit();
      expect((await deleting).status).toBe(200);
      await reading;
    });
    await expect.poll(() => readDocument('accepting.txt')).toMatchObject({ type: 'DocumentUnknown' });
  });

  it.each(['new.txt', 'known.txt'])('does not replace a text that was sent later: %s', async (docId) => {
    if (docId === 'known.txt') await ingested(acme, { docId });
    const file = await waitingFile(docId);
    await whileLocked(api.database, receiptsHead(), async (held) => {
      const sending = ingested(acme, { docId, content: 'Sent later.' });
      await held.waitForBlocked(1, 'receipt_head');
      const reading = file.read();
      await held.waitForBlocked(1, 'latest_version');
      await held.commit();
      expect(await sending).toMatchObject({ status: 'completed' });
      await reading;
    });
    expect(await file.end()).toMatch(/^A version of the document that was sent later was accepted/);
    expect((await readDocument(docId)).content).toBe('Sent later.');
  });

  it('whose text is being accepted is replaced by a text that was sent later', async () => {
    const file = await waitingFile('first.txt');
    await whileLocked(api.database, receiptsHead(), async (held) => {
      const reading = file.read();
      await held.waitForBlocked(1, 'receipt_head');
      const sending = ingested(acme, { docId: 'first.txt', content: 'Sent later.' });
      await held.waitForBlocked(1, 'latest_version');
      await held.commit();
      await reading;
      expect(await sending).toMatchObject({ status: 'completed' });
    });
    expect(await file.end()).toBe('completed');
    expect(await readDocument('first.txt')).toMatchObject({ content: 'Sent later.', version: 2 });
  });

  it('whose names hold what no database does is read', async () => {
    const named = Buffer.from('{"a\\u0000b":"quay","\\ud800c":1}');
    expect(await outcomeOf(sendForm(named, inCorpus('names.json')))).toBe('completed');
    const text = Buffer.from("{\\rtf1\\ansi a\\u0? \\'00 quay \\u-10179? c}");
    expect(await outcomeOf(sendForm(text, inCorpus('names.rtf')))).toBe('completed');
  });

  it('has its places bound: another one is found out', async () => {
    const faults = async () => (await api.app.get(EvidenceAudit).verifyChain(SUBJECT_CHECKS)).faults;
    expect(await faults()).toEqual([]);
    const move = (page: number) =>
      api.database.query(`update chunk set location = jsonb_set(location, '{page}', $1) where doc_id = 'manual.pdf'`, [
        page,
      ]);
    await move(2);
    expect(await faults()).toEqual([expect.stringMatching(/manual\.pdf.* stands in another place of its file$/)]);
    await move(1);
    expect(await faults()).toEqual([]);
  });

  it('leaves no bytes behind', async () => {
    const [row] = await api.database.query<{ waiting: number; bytes: number }>(
      'select count(*) filter (where finished_at is null)::int as waiting, count(content)::int as bytes from ingest_file',
    );
    expect(row).toEqual({ waiting: 0, bytes: 0 });
  });
});

describe('a file that cannot be read', () => {
  it.each<[string, () => Promise<Buffer> | Buffer, string, RegExp]>([
    ['encrypted', () => shipped('encrypted.pdf'), 'a.pdf', /The PDF is encrypted; send it without a password\.$/],
    ['empty', () => Buffer.alloc(0), 'a.pdf', /The file is empty\.$/],
    ['broken off', () => shipped('leave.docx').subarray(0, 5_000), 'a.docx', /damaged|archive/],
    ['mislabelled', () => shipped('budget.xlsx'), 'a.pdf', /xlsx by its bytes, but its name says pdf \(a\.pdf\)/],
    ['a bomb', () => docxOf(wordXml('Small.'), { 'word/a.bin': Buffer.alloc(64 << 20) }), 'a.docx', /refused unread/],
  ])('%s fails with a plain reason', async (_, make, name, reason) => {
    expect(await outcomeOf(sendForm(await make(), inCorpus(name)))).toMatch(reason);
  });

  it('takes neither the memory nor the time of the server: a PDF of nested streams that grow', async () => {
    // 2 GiB of content from 2 MiB, of which nothing is shown.
    const bomb = pdfOf(deflateSync(Buffer.alloc(1 << 30, ' ')), true);
    expect(bomb.length).toBeLessThan(2 << 20);
    const sent = sendForm(bomb, inCorpus('bomb.pdf'));
    expect(await outcomeOf(sendForm(Buffer.from('Meanwhile.'), inCorpus('meanwhile.txt')))).toBe('completed');
    expect(await outcomeOf(sent)).toMatch(/^failed: The (?:file took more than|PDF has no text)/);
    expect(await outcomeOf(sendForm(shipped('manual.pdf'), inCorpus('after.pdf')))).toBe('completed');
  });

  it('that a process did not survive three times is not read again', async () => {
    const file = await waitingFile('deadly.txt');
    // For a later file of the document it may be read at the same time: that says nothing of it.
    const later = await waitingFile('deadly.txt');
    for (const readings of [0, 0]) expect(await later.claim()).toMatchObject({ readings });
    // As processes do that end before the reading does.
    for (const readings of [1, 2, 3]) expect(await file.claim()).toMatchObject({ readings });
    await file.read();
    expect(await file.end()).toMatch(/^The server ended 3 times while it read this file/);
    await later.read();
    expect(await later.end()).toBe('completed');
  });

  it.each([
    ['22P05', /^The database refused the document \(SQLSTATE 22P05\)\.$/],
    ['XX000', undefined],
  ])('whose text the database refuses with %s ends, or is as if it had not been read', async (state, reason) => {
    const docId = `refused-${state}.txt`;
    const asOwner = (statement: string) => asSuperuser(api.database, statement);
    await asOwner(`
      create function refuse_${state}() returns trigger language plpgsql as $$ begin raise 'no' using errcode = '${state}'; end $$;
      create trigger refuse_${state} before insert on document_version for each row when (new.doc_id = '${docId}')
        execute function refuse_${state}()`);
    const file = await waitingFile(docId);
    if (reason === undefined) {
      await expect(file.read()).rejects.toThrow('no');
      expect(await file.claim()).toMatchObject({ readings: 1 });
      await asOwner(`drop trigger refuse_${state} on document_version`);
    }
    await file.read();
    expect(await file.end()).toMatch(reason ?? /^completed$/);
  });

  it('in a corpus of another language says so', async () => {
    const fields = { corpusId: 'handbook', metadata: '{"language":"german"}' };
    expect(await outcomeOf(sendForm(Buffer.from('Deutsch.'), { fields }))).toMatch(
      /^failed: Corpus handbook is english/,
    );
  });
});

describe('a request with a file', () => {
  const problemOf = async (sent: Promise<Answer>) => {
    const { status, body } = await sent;
    return [status, body.type, ...(body.issues ?? []).map((issue: { path: string }) => issue.path)];
  };
  const text = Buffer.from('Text.');

  it('that is malformed names the field', async () => {
    expect(await problemOf(sendForm(text))).toEqual([400, 'ValidationFailed', 'query.corpusId']);
    expect(await problemOf(sendForm(text, { fields: { docId: 'a' } }))).toEqual([
      400,
      'ValidationFailed',
      'body.corpusId',
    ]);
    expect(await problemOf(sendRaw(text, { query: { corpusId: 'c' } }))).toEqual([
      400,
      'ValidationFailed',
      'query.docId',
    ]);
    const twice = { query: { corpusId: 'a' }, fields: { corpusId: 'b' } };
    expect(await problemOf(sendForm(text, twice))).toEqual([400, 'ValidationFailed', 'body.corpusId']);
    const cases: [Record<string, string>, string][] = [
      [{ shareability: 'all' }, 'body.shareability'],
      [{ url: 'nowhere' }, 'body.url'],
      [{ surprise: '1' }, 'body.surprise'],
      [{ metadata: '[1]' }, 'body.metadata'],
      [{ metadata: '{"language":"klingon"}' }, 'body.metadata.language'],
      [{ metadata: '{"file":1}' }, 'body.metadata.file'],
      [{ metadata: '{"id":1864023781234567891}' }, 'body.metadata.id'],
      [{ docId: 'a\0b' }, 'body.docId'],
      [{ fileName: 'x'.repeat(300) }, 'body.fileName'],
    ];
    for (const [fields, path] of cases)
      expect(await problemOf(sendForm(text, { fields: { corpusId: 'c', ...fields } }))).toEqual([
        400,
        'ValidationFailed',
        path,
      ]);
  });

  it('whose form is broken is refused', async () => {
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText';
    expect(await problemOf(post(part, pathOf({ corpusId: 'c' }), form))).toEqual([400, 'MalformedRequest']);
    const none = { 'content-type': 'multipart/form-data' };
    expect(await problemOf(post(part, pathOf({ corpusId: 'c' }), none))).toEqual([400, 'MalformedRequest']);
    const field = '--x\r\ncontent-disposition: form-data; name="corpusId"\r\n\r\nc\r\n--x--\r\n';
    expect(await problemOf(post(field, pathOf({}), form))).toEqual([400, 'ValidationFailed', 'body.file']);
    const compressed = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    expect(await problemOf(post('x', pathOf({ corpusId: 'c', docId: 'd' }), compressed))).toEqual([
      415,
      'UnsupportedMediaType',
    ]);
  });

  it('past SVC_MAX_FILE_MIB is refused, whatever length is announced', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024 + 1, 'x');
    expect(await problemOf(sendRaw(large, { query: { corpusId: 'c', docId: 'd' } }))).toEqual([413, 'PayloadTooLarge']);
    const justAbove = Buffer.alloc(8 * 1024 * 1024 + 1, 'x');
    expect(await problemOf(sendForm(justAbove, { fields: { corpusId: 'c' } }))).toEqual([413, 'PayloadTooLarge']);
  });

  it('of a tenant that is not the credential is refused', async () => {
    const fields = { corpusId: 'c', tenantId: 'globex' };
    expect(await problemOf(sendForm(text, { fields }))).toEqual([403, 'Forbidden']);
    expect(await outcomeOf(sendForm(text, { fields: { corpusId: 'c', tenantId: acme.tenantId } }))).toBe('completed');
  });

  it('has one effect for a key; another file under it is refused', async () => {
    const headers = { 'x-idempotency-key': 'one-effect-of-a-file' };
    const sending = { ...inCorpus('once.txt'), headers };
    const first = await sendForm(text, sending);
    const again = await sendForm(text, sending);
    expect([again.status, again.body, again.headers.get('x-idempotency-replayed')]).toEqual([202, first.body, 'true']);
    expect(await problemOf(sendForm(Buffer.from('Other.'), sending))).toEqual([422, 'IdempotencyKeyReused']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CborMap } from '../../../src/evidence/cbor.js';
import { decodeExportCbor, decodeExportJson, type ExportFile } from '../../../src/evidence/export/export-format.js';
import { exportOfFiles, readZip } from '../../../src/evidence/export/export-zip.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../receipts/receipts-daemon.js';

const LIMITS = { bytes: 2 ** 26, ratio: 200, ratioFloor: 2 ** 20, entries: 100 };
const SCOPES = 'exports:read receipts:read';

let daemon: ReceiptsDaemon;
let ids: string[];
let retrieval: string;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  ids = await daemon.record(
    'acme',
    {
      subject: 'act-1',
      kind: 'a.asked',
      body: { query: 'the secret', n: 1.5, list: [], deep: { few: ['x', null, true] } },
    },
    { subject: 'act-1', kind: 'a.asked', body: { query: 'again' } },
    { subject: 'act-1', kind: 'b.done', actor: 'passport:bob' },
  );
  retrieval = await daemon.recordRetrieval('acme', { query: 'wombats', results: [] });
  // Brings the last receipt into the log. It does not grow after that, and exports name the same checkpoint.
  await fetchExport(`receipts/${retrieval}`);
});
afterAll(() => daemon.close());

const fetchExport = async (path: string, query = '', headers: Record<string, string> = {}) => {
  const url = `${daemon.url}/v1/replay/exports/${path}?tenant_id=acme${query}`;
  const response = await fetch(url, {
    headers: { 'x-svc-scopes': SCOPES, 'x-svc-tenant-id': 'acme', ...headers },
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
};
const readJson = (bytes: Uint8Array): ExportFile => decodeExportJson(bytes, JSON.parse(Buffer.from(bytes).toString()));
const verdictOf = (bytes: Uint8Array) => verifyBundle(bytes, LIMITS);
const failedOf = async (bytes: Uint8Array) => (await verdictOf(bytes)).checks.filter(({ ok }) => !ok);
const pathsOf = ({ disclosures }: ExportFile) => disclosures.map(({ path }) => path.join('.'));
const shownItem = (file: ExportFile, index: number): CborMap =>
  Object.fromEntries(
    file.disclosures
      .filter(({ path }) => path[0] === 'items' && path[1] === index)
      .map(({ path, value }) => [path.slice(2).join('.'), value]),
  );

describe('an export', () => {
  it('of a receipt verifies, in every format, which all say the same', async () => {
    const [json, cbor, zip] = await Promise.all(
      ['json', 'cbor', 'zip'].map((format) => fetchExport(`receipts/${ids[0]}`, `&format=${format}`)),
    );
    for (const { status, bytes } of [json!, cbor!, zip!]) {
      expect([status, await failedOf(bytes)]).toEqual([200, []]);
    }
    const file = readJson(json!.bytes);
    expect(decodeExportCbor(cbor!.bytes)).toEqual(file);
    expect(exportOfFiles(await readZip(zip!.bytes, LIMITS))).toEqual(file);
    expect(json!.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect([cbor!.headers.get('content-type'), zip!.headers.get('content-type')]).toEqual([
      'application/cbor',
      'application/zip',
    ]);
    expect(zip!.headers.get('content-disposition')).toBe('attachment; filename="receipt-export.zip"');
    expect(shownItem(file, 0)).toMatchObject({
      receipt_id: ids[0],
      'payload.auth_mode': 'jwt_hs256',
      'payload.body.query': 'the secret',
      'payload.body.n': 1.5,
      'payload.body.list': [],
      'payload.body.deep.few.1': null,
    });
    expect(file.manifest).toMatchObject({ subject: 'receipt', complete: true, auth_modes: ['jwt_hs256'] });
  });

  it('is the same file whenever it is made', async () => {
    const [first, second] = [
      await fetchExport(`receipts/${ids[0]}`, '&format=zip'),
      await fetchExport(`receipts/${ids[0]}`, '&format=zip'),
    ];
    expect(Buffer.compare(first.bytes, second.bytes)).toBe(0);
  });

  it('follows Accept where no format is named', async () => {
    const { headers } = await fetchExport(`receipts/${ids[0]}`, '', { accept: 'application/zip, */*;q=0.1' });
    expect([headers.get('content-type'), headers.get('vary')]).toEqual(['application/zip', 'accept']);
  });

  it('of a retrieval receipt verifies', async () => {
    const { bytes } = await fetchExport(`receipts/${retrieval}`);
    const verdict = await verdictOf(bytes);
    expect([verdict.ok, verdict.subject]).toEqual([true, { type: 'receipt', id: retrieval }]);
  });

  it('redacted verifies under the same manifest and signature, and shows nothing of what is withheld', async () => {
    const full = readJson((await fetchExport('actions/act-1', '&mode=audit')).bytes);
    for (const redaction of [
      'content',
      'identity',
      'all',
      'payload.body.query',
      'actor,content',
      'items.0.payload.body',
    ]) {
      const { bytes } = await fetchExport('actions/act-1', `&mode=audit&redaction=${redaction}`);
      expect([redaction, await failedOf(bytes)]).toEqual([redaction, []]);
      const redacted = readJson(bytes);
      expect([redacted.manifest, redacted.signature]).toEqual([full.manifest, full.signature]);
      expect(redacted.log?.proofs).toEqual(full.log?.proofs);
      const text = Buffer.from(bytes).toString('latin1');
      if (redaction !== 'identity') expect(text).not.toContain('the secret');
      // The messages would show what is withheld, and the ids would let it be guessed.
      expect(pathsOf(redacted).filter((path) => /cose|receipt_id|payload_hash|prev|body_hash/.test(path))).toEqual([]);
      for (const id of ids) expect(text).not.toContain(id);
    }
  });

  it('withholds the id of a receipt with its content', async () => {
    const { bytes } = await fetchExport(`receipts/${ids[0]}`, '&redaction=payload.body.query');
    expect((await verdictOf(bytes)).subject).toEqual({ type: 'receipt', id: null });
    expect(shownItem(readJson(bytes), 0)).toMatchObject({ 'payload.kind': 'a.asked', 'payload.body.n': 1.5 });
    const { bytes: retrieved } = await fetchExport(`receipts/${retrieval}`, '&redaction=query');
    expect(pathsOf(readJson(retrieved)).filter((path) => /cbor|nonce|query/.test(path))).toEqual([]);
    expect(await failedOf(retrieved)).toEqual([]);
  });

  it('shows the parts that are asked for', async () => {
    const { bytes } = await fetchExport('actions/act-1', '&include=receipts');
    const file = readJson(bytes);
    expect(file.log).toBeNull();
    const verdict = await verdictOf(bytes);
    expect(verdict.ok).toBe(true);
    expect(verdict.checks.find(({ name }) => name === 'inclusion')?.detail).toContain('left out');
    const proofs = readJson((await fetchExport('actions/act-1', '&include=proofs')).bytes);
    expect([pathsOf(proofs), proofs.log?.proofs.length]).toEqual([['subject_id'], 2]);
  });

  it('of an action has the newest of each kind, or all, with findings where it was checked', async () => {
    const types = async (mode: string) =>
      readJson((await fetchExport('actions/act-1', `&mode=${mode}`)).bytes).manifest.items.map(({ type }) => type);
    expect(await types('latest')).toEqual(['receipt', 'receipt']);
    expect(await types('verified')).toEqual(['receipt', 'receipt', 'finding', 'finding']);
    expect(await types('audit')).toEqual(['receipt', 'receipt', 'receipt', 'finding', 'finding', 'finding']);
    const audit = readJson((await fetchExport('actions/act-1', '&mode=audit')).bytes);
    expect(shownItem(audit, 3)).toEqual({ receipt_id: ids[0], record: 'OK', signature: 'OK', chain: 'OK', log: 'OK' });
  });

  it('proves that it extends a checkpoint kept from before', async () => {
    const kept = readJson((await fetchExport(`receipts/${ids[0]}`)).bytes).log!.checkpoint;
    await daemon.record('acme', {}, {}, {});
    const encoded = Buffer.from(kept).toString('base64url');
    const last = await daemon.record('acme', {});
    const { bytes } = await fetchExport(`receipts/${last[0]}`, `&earlier_checkpoint=${encoded}`);
    expect(await failedOf(bytes)).toEqual([]);
    expect(readJson(bytes).log!.consistency.map(({ checkpoint }) => checkpoint)).toEqual([kept]);
  });

  it.each(['off', 'dev_scopes'])('of what was done under %s is whole, and no proof', async (authMode) => {
    const [id] = await daemon.record('acme', { authMode });
    for (const query of ['', '&redaction=all']) {
      const { bytes } = await fetchExport(`receipts/${id}`, query);
      expect((await failedOf(bytes)).map(({ name }) => name)).toEqual(['auth-mode']);
      expect((await verifyBundle(bytes, LIMITS, { development: true })).ok).toBe(true);
    }
  });

  it.each([
    ['format=pdf', 'query.format'],
    ['include=everything', 'query.include'],
    ['include=,', 'query.include'],
    ['redaction=nothing_of_that_name', 'query.redaction'],
    ['redaction=none,actor', 'query.redaction'],
    ['redaction=a..b', 'query.redaction'],
    ['mode=newest', 'query.mode'],
    ['earlier_checkpoint=bm9uZQ', 'query.earlier_checkpoint'],
    ['color=red', 'query.color'],
  ])('refuses %s', async (query, path) => {
    const { status, bytes } = await fetchExport('actions/act-1', `&${query}`);
    expect([status, JSON.parse(Buffer.from(bytes).toString()).issues[0].path]).toEqual([400, path]);
  });

  it('asks for the tenant, and answers 404 for an unknown receipt, answer or action', async () => {
    const call = daemon.as({ scopes: SCOPES, tenant: 'acme' });
    for (const path of [`receipts/${ids[0]}`, 'answers/a', 'actions/a', 'streams/t/s']) {
      const { body } = await call('GET', `/v1/replay/exports/${path}`);
      expect([path, body.issues?.[0]?.path]).toEqual([path, 'query.tenant_id']);
    }
    for (const path of ['receipts/none', 'answers/none', 'actions/none'])
      expect([path, (await fetchExport(path)).status]).toEqual([path, 404]);
    const empty = await fetchExport('streams/none/none');
    expect([empty.status, readJson(empty.bytes).manifest.items, await failedOf(empty.bytes)]).toEqual([200, [], []]);
  });

  it('asks for both scopes, of a stream for one, and works in no other tenant (B-4.8-5, B-4.8-6, A-19)', async () => {
    for (const path of [`receipts/${ids[0]}`, 'answers/a', 'actions/act-1']) {
      for (const [scopes, missing] of [
        ['exports:read', 'receipts:read'],
        ['receipts:read', 'exports:read'],
      ] as const) {
        const { status, body } = await daemon.as({ scopes })('GET', `/v1/replay/exports/${path}?tenant_id=acme`);
        expect([path, status, body.missingScopes]).toEqual([path, 403, [missing]]);
      }
      const foreign = daemon.as({ scopes: SCOPES, tenant: 'umbrella' });
      expect((await foreign('GET', `/v1/replay/exports/${path}?tenant_id=acme`)).status).toBe(403);
      expect((await foreign('GET', `/v1/replay/exports/${path}?tenant_id=umbrella`)).status).toBe(404);
    }
    const alone = daemon.as({ scopes: 'exports:read', tenant: 'acme' });
    expect((await alone('GET', '/v1/replay/exports/streams/t/s?tenant_id=acme')).status).toBe(200);
  });

  it('is refused where a record was changed beyond reading', async () => {
    const [id] = await daemon.record('acme', { subject: 'broken' });
    await daemon.tamper(`update receipt set cose = 'gone' where receipt_id = $1`, [id]);
    const { status, bytes } = await fetchExport('actions/broken');
    expect([status, JSON.parse(Buffer.from(bytes).toString()).code]).toEqual([500, 'EVIDENCE_DAMAGED']);
  });
});

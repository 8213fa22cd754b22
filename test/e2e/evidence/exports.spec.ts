import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeExportCbor, encodeExportJson } from '../../../src/evidence/export/export-format.js';
import { writeExportCbor, writeExportJson, writeExportZip } from '../../../src/evidence/export/write-export.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { noteVerifierKey } from '../../../src/evidence/signed-note.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../../medium/receipts/receipts-daemon.js';
import { exportVector } from './export-vector.js';
import { vectorTimestamps } from './timestamp-vectors.js';
import { isVector } from './vector-files.js';

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');
const INDEPENDENT = join(import.meta.dirname, 'independent-export.mjs');
const FILES = ['', 'v1/']
  .flatMap((version) =>
    ['export.json', 'export.cbor', 'export.zip', 'export-redacted.json'].map((name) => version + name),
  )
  .concat('export-stamped.json', 'export-stamped.cbor');
const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };
const vector = (name: string): Buffer => readFileSync(join(VECTORS, name));

/** Plain JavaScript without types, by path: the independent programs are no part of the build. */
const { judge } = (await import(/* @vite-ignore */ INDEPENDENT)) as {
  judge(file: Uint8Array, trustedKid?: string): { ok: boolean; failed: string | null; withheld: number | null };
};
const productAccepts = async (file: Uint8Array): Promise<boolean> =>
  verifyBundle(file, LIMITS).then(
    ({ ok }) => ok,
    () => false,
  );

describe('the vectors of docs/formats/export.md', () => {
  it('are what the product makes of their records', async () => {
    const { full, redacted } = await exportVector();
    expect(isVector('export.json', encodeExportJson(full))).toBe(true);
    expect(isVector('export.cbor', encodeExportCbor(full))).toBe(true);
    expect(isVector('export-redacted.json', encodeExportJson(redacted))).toBe(true);
    expect(Buffer.compare(await writeExportJson(full), vector('export.json'))).toBe(0);
    expect(Buffer.compare(await writeExportCbor(redacted), encodeExportCbor(redacted))).toBe(0);
    // Deflate may differ between versions of zlib; what the archive says may not.
    const made = await writeExportZip(full);
    if (process.env.SVC_WRITE_VECTORS === '1') isVector('export.zip', made);
    expect([await productAccepts(made), judge(made).ok]).toEqual([true, true]);
  });

  it('with timestamps are made of the tokens that were made once', async () => {
    const { full } = await exportVector(vectorTimestamps());
    expect(isVector('export-stamped.json', encodeExportJson(full))).toBe(true);
    expect(isVector('export-stamped.cbor', encodeExportCbor(full))).toBe(true);
  });

  it.each(FILES)('%s verifies, by the product and by the independent program', async (name) => {
    const { kid } = (JSON.parse(vector('keys.json').toString()) as { jwk: { kid: string } }).jwk;
    const withheld = name.includes('redacted') ? (name.startsWith('v1/') ? 35 : 63) : 0;
    expect(judge(vector(name), kid)).toEqual({ ok: true, failed: null, detail: '', withheld });
    expect(judge(vector(name), 'another').failed).toBe('keys');
    expect(await productAccepts(vector(name))).toBe(true);
  });

  it.each(FILES)(
    '1,000 random single-byte changes of %s are refused by both',
    async (name) => {
      const file = vector(name);
      for (let round = 0; round < 1000; round++) {
        const changed = Uint8Array.from(file);
        const at = Math.floor(Math.random() * changed.length);
        changed[at] = (changed[at]! + 1 + Math.floor(Math.random() * 255)) % 256;
        expect([at, changed[at], judge(changed).ok, await productAccepts(changed)]).toEqual([
          at,
          changed[at],
          false,
          false,
        ]);
      }
    },
    600_000,
  );
});

describe('an export made by the running product', () => {
  let folder: string;
  let daemon: ReceiptsDaemon;
  let api: TestApi;
  let ingestId: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-export-'));
    daemon = await startReceiptsDaemon();
    // Both processes sign with one key, as they do under one data directory.
    api = await startApi({ database: daemon.database, env: { SVC_DATA_DIR: daemon.dataDir } });
    const { tenantId, call } = api.tenant;
    const content = 'Wombats are marsupials. Their droppings are cubes, which nobody else makes.';
    const document = {
      tenantId,
      corpusId: 'zoo',
      docId: 'wombat',
      title: 'Wombats',
      content,
      url: 'https://zoo.example/',
    };
    ingestId = (await call('POST', '/v1/ingest', { ...document, shareability: 'owner_only' })).body.ingestId;
    const settled = async () => (await call('GET', `/v1/ingest/${ingestId}`)).body.status;
    while ((await settled()) !== 'completed') await sleep(50);
    const found = await call('POST', '/v1/retrieve', {
      query: 'wombat droppings',
      lane: 'audit',
      includeCommons: false,
    });
    const citation = { chunkId: found.body.results[0].chunkId, quote: 'droppings are cubes', note: 'odd' };
    const answer = {
      agentId: 'a',
      answerId: 'answer-1',
      idempotencyKey: 'the-citation',
      answerText: 'They are cubes.',
    };
    const recorded = await call(
      'POST',
      '/v1/citations',
      { ...answer, citations: [citation] },
      { 'x-idempotency-key': '' },
    );
    expect(recorded.status).toBeLessThan(300);
  });
  afterAll(async () => {
    await api.close();
    await daemon.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const fetchExport = async (path: string, query: string): Promise<Uint8Array> => {
    const url = `${daemon.url}/v1/replay/exports/${path}?tenant_id=${api.tenant.tenantId}${query}`;
    const response = await fetch(url, { headers: { 'x-svc-scopes': 'exports:read receipts:read' } });
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([path, response.status, response.status === 200 ? '' : Buffer.from(bytes).toString()]).toEqual([
      path,
      200,
      '',
    ]);
    return bytes;
  };

  it('verifies with svc verify and with the independent program, full and redacted, in every format', async () => {
    const { kid, publicKey } = daemon.app.get(KeyRing, { strict: false }).active;
    const pin = join(folder, 'svc.pin');
    writeFileSync(pin, noteVerifierKey('svc.local/log', publicKey.bytes));
    for (const path of ['answers/answer-1', `actions/${ingestId}`]) {
      for (const redaction of ['', '&redaction=content', '&redaction=identity,note', '&redaction=all']) {
        if (path.startsWith('actions') && redaction.includes('note')) continue;
        for (const [format, mode] of [
          ['json', 'latest'],
          ['cbor', 'verified'],
          ['zip', 'audit'],
        ]) {
          const file = join(folder, `export.${format}`);
          writeFileSync(file, await fetchExport(path, `&mode=${mode}&format=${format}${redaction}`));
          const program = spawnSync(process.execPath, [INDEPENDENT, file, kid], { encoding: 'utf8' });
          expect([path, format, redaction, JSON.parse(program.stdout)]).toMatchObject([
            path,
            format,
            redaction,
            { ok: true },
          ]);
          const product = execFileSync(process.execPath, [PROGRAM, 'verify', file, '--key', pin, '--json'], {
            encoding: 'utf8',
          });
          expect(JSON.parse(product)).toMatchObject({ ok: true, issuer: 'pinned' });
        }
      }
    }
  }, 120_000);

  it('of a stream holds up to its last step, which says that a development mode proves nothing', async () => {
    const tenant_id = api.tenant.tenantId;
    const events = [
      { type: 'said', payload: { text: 'wombat', n: [1, 2.5, null] } },
      { type: 'left', payload: {} },
    ];
    const appended = await daemon.call('POST', '/v1/append', {
      tenant_id,
      stream_type: 'chat',
      stream_id: '1',
      events,
    });
    expect(appended.status).toBe(200);
    for (const redaction of ['', '&redaction=text', '&redaction=content', '&redaction=items.*.type'])
      for (const format of ['json', 'cbor', 'zip']) {
        const bytes = await fetchExport('streams/chat/1', `&format=${format}${redaction}`);
        expect([redaction, format, judge(bytes).failed]).toEqual([redaction, format, 'auth-mode']);
        const { checks } = await verifyBundle(bytes, LIMITS);
        expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['auth-mode']);
      }
  });

  it('holds the answer, the text cited and the receipts, and finds the source as it is now', async () => {
    const shown = async (query: string) => {
      const { disclosures } = JSON.parse(Buffer.from(await fetchExport('answers/answer-1', query)).toString());
      // Of fields of one name, the first.
      return new Map<string, unknown>(
        disclosures.reverse().map((one: any) => [one.path.slice(2).join('.'), one.value]),
      );
    };
    const full = await shown('&mode=verified');
    expect(Object.fromEntries(full)).toMatchObject({
      text: 'They are cubes.',
      quote: 'droppings are cubes',
      content: expect.stringContaining('marsupials'),
      source: 'holds',
      'payload.kind': 'ingest.completed',
      'payload.auth_mode': 'system',
      'binding.start': 0,
    });
    const redacted = await shown('&redaction=content');
    for (const name of ['text', 'text_hash', 'quote', 'quote_hash', 'content', 'content_hash', 'cose', 'receipt_id'])
      expect([name, redacted.has(name)]).toEqual([name, false]);
    expect(redacted.get('payload.kind')).toBeDefined();
  });

  it('leads from the text to the receipt of its ingest, and does not show one that contradicts it', async () => {
    const contents = async () => {
      const file = await fetchExport('answers/answer-1', '&mode=verified');
      const { checks } = await verifyBundle(file, LIMITS);
      const shown = JSON.parse(Buffer.from(file).toString()).disclosures.map((one: any) => [
        one.path.slice(2).join('.'),
        one.value,
      ]);
      return {
        ...{ judged: judge(file).failed, detail: checks.find(({ name }) => name === 'contents')!.detail },
        ...{ failed: checks.filter(({ ok }) => !ok), shown: new Map<string, unknown>(shown) },
      };
    };
    const sound = await contents();
    expect([sound.failed, sound.judged, sound.detail]).toEqual([[], null, expect.stringContaining('1 of them bound')]);
    await daemon.tamper(`update chunk set end_offset = end_offset - 1`);
    const altered = await contents();
    expect([altered.failed, altered.judged, altered.shown.has('content')]).toEqual([[], null, false]);
    expect(altered.shown.get('text')).toBe('changed');
    await daemon.tamper(`update chunk set end_offset = end_offset + 1`);
  });

  it('does not verify where the rows of the answer are not what its receipt says, in any mode', async () => {
    const own = `where answer_id = 'answer-1'`;
    const rowsOf = async (table: string): Promise<string> => {
      const rows = await api.database.query<{ row: object }>(`select to_jsonb(t) as row from ${table} t ${own}`);
      return `jsonb_populate_recordset(null::${table}, '${JSON.stringify(rows.map(({ row }) => row))}') o`;
    };
    const restore = `update answer a set agent_id = o.agent_id, recorded_by = o.recorded_by, recorded_at = o.recorded_at
      from ${await rowsOf('answer')} where a.answer_id = o.answer_id`;
    const bringBack = `insert into citation select o.* from ${await rowsOf('citation')}`;
    for (const [change, back] of [
      [`update answer set agent_id = 'evil-agent' ${own}`, restore],
      [`update answer set recorded_by = 'key:evil' ${own}`, restore],
      [`update answer set recorded_at = recorded_at - interval '300 days' ${own}`, restore],
      [`delete from citation ${own}`, bringBack],
      [`update citation set note = 'evil' ${own}`, `update citation set note = 'odd' ${own}`],
    ] as const) {
      await daemon.tamper(change);
      for (const mode of ['latest', 'verified', 'audit']) {
        const file = await fetchExport('answers/answer-1', `&mode=${mode}`);
        const failed = (await verifyBundle(file, LIMITS)).checks.filter(({ ok }) => !ok).map(({ name }) => name);
        expect([change, mode, failed, judge(file).failed]).toEqual([change, mode, ['contents'], 'contents']);
        const { disclosures } = JSON.parse(Buffer.from(file).toString());
        const found = disclosures.filter(({ path }: any) => path[2] === 'answer').map(({ value }: any) => value);
        expect([change, mode, found]).toEqual([change, mode, mode === 'latest' ? [] : ['changed']]);
      }
      await daemon.tamper(back);
    }
    const sound = await fetchExport('answers/answer-1', '&mode=verified');
    expect([(await verifyBundle(sound, LIMITS)).ok, judge(sound).ok]).toEqual([true, true]);
    expect(Buffer.from(sound).toString()).toContain('"value":"intact"');
  });

  it('shows a text that was changed in the database by failing', async () => {
    await daemon.tamper(`update answer set answer_text = 'They are spheres.' where answer_id = 'answer-1'`);
    const verdict = await verifyBundle(await fetchExport('answers/answer-1', ''), LIMITS);
    expect(verdict.checks.find(({ ok }) => !ok)).toMatchObject({ name: 'contents' });
    expect(judge(await fetchExport('answers/answer-1', '')).failed).toBe('contents');
    await daemon.tamper(`update answer set answer_text = 'They are cubes.' where answer_id = 'answer-1'`);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { buffer as collect } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { encodeExportCbor, EXPORT_FORMAT_V1 } from '../../../src/evidence/export/export-format.js';
import { SignedExport } from '../../../src/evidence/export/sign-export.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { SigningKey, VerifyingKey } from '../../../src/evidence/signing-key.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../receipts/receipts-daemon.js';
import { signCheckpoint } from '../../kit/signed-forms.js';

let daemon: ReceiptsDaemon;
let other: ReceiptsDaemon;
let id: string;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  [id = ''] = await daemon.record('acme', { body: { query: 'what there is to hide' } }, {}, {});
  other = await startReceiptsDaemon({ env: { SVC_SIGNING_KEY_FILE: '' } });
});
afterAll(async () => {
  await daemon.close();
  await other.close();
});

const post = async (bytes: Uint8Array | string, type = 'application/octet-stream', to = daemon) => {
  const response = await fetch(`${to.url}/v1/audit/bundle/verify`, {
    method: 'POST',
    body: bytes,
    headers: type === '' ? [] : { 'content-type': type },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, any> };
};
const exportOf = async (format: string, query = ''): Promise<Uint8Array> => {
  const response = await fetch(
    `${daemon.url}/v1/replay/exports/receipts/${id}?tenant_id=acme&format=${format}${query}`,
    { headers: { 'x-svc-scopes': 'exports:read receipts:read' } },
  );
  return new Uint8Array(await response.arrayBuffer());
};
const zipOf = async (files: Record<string, Uint8Array>): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return collect(zip.outputStream);
};
/** Another name of the same length, in both headers. */
const renamed = (archive: Buffer, from: string, to: string): Buffer =>
  Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');

/** Bytes of no kind: what happens to begin like a CBOR map would be read as one. */
const noise = (bytes: number): Buffer => Buffer.concat([Buffer.of(0xff), randomBytes(bytes - 1)]);

describe('POST /v1/audit/bundle/verify', () => {
  it('says yes to every format, plain or compressed, whatever the content type, without a credential (B-4.8-19)', async () => {
    for (const query of ['', '&redaction=content']) {
      const [json, cbor, zip] = await Promise.all(['json', 'cbor', 'zip'].map((format) => exportOf(format, query)));
      for (const bytes of [
        json!,
        cbor!,
        zip!,
        gzipSync(json!),
        gzipSync(cbor!),
        deflateSync(json!),
        deflateSync(cbor!),
      ])
        for (const type of ['application/octet-stream', 'application/json', 'application/zip', ''])
          expect([type, (await post(bytes, type)).body.ok]).toEqual([type, true]);
    }
    const { status, body } = await post(await exportOf('zip'), 'application/zip');
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      known_issuer: true,
      checks: expect.arrayContaining([{ name: 'signature', ok: true, detail: expect.any(String) }]),
      format: 'svc-export-v2',
      tenant_id: 'acme',
      subject: { type: 'receipt', id },
      keys: Array.from({ length: 3 }, () => ({ kid: expect.any(String), known: true })),
    });
  });

  it('judges a proof pack too', async () => {
    const pack = await daemon.app
      .get(Tenancy)
      .run('acme', () =>
        daemon.app
          .get(ProofPacks, { strict: false })
          .make({ subject: { type: 'test', id: 'x' }, receiptIds: [id], chunks: [] }),
      );
    expect((await post(pack)).body).toMatchObject({ ok: true, format: 'svc-proofpack-v3', subject: { type: 'test' } });
  });

  it('says that another server made it', async () => {
    const { body } = await post(await exportOf('cbor'), 'application/cbor', other);
    expect(body).toMatchObject({
      ok: true,
      known_issuer: false,
      keys: [{ known: false }, { known: false }, { known: false }],
    });
  });

  it('knows no issuer by a key that was only written into the table, nor by one of another purpose', async () => {
    const planted = SigningKey.generate();
    await daemon.tamper(`insert into signing_key (kid, public_key, not_before) values ($1, $2, '2020-01-01')`, [
      planted.kid,
      Buffer.from(planted.publicKey.bytes),
    ]);
    const jwks: any = await (await fetch(`${daemon.url}/v1/auth/keys`)).json();
    expect(jwks.keys.map(({ kid }: any) => kid)).not.toContain(planted.kid);
    const stolen = daemon.app.get(KeyRing, { strict: false }).forExports as SigningKey;
    for (const [key, known] of [
      [planted, false],
      [stolen, true],
    ] as const) {
      const { body } = await post(await exportBy(key));
      expect(body).toMatchObject({ ok: true, known_issuer: false, keys: [{ kid: key.kid, known }] });
    }
    await daemon.tamper('delete from signing_key where kid = $1', [planted.kid]);
  });

  /** Whole, and made by whoever has this key alone. */
  const exportBy = async (key: SigningKey): Promise<Uint8Array> => {
    const sealed = await SignedExport.sign(
      { tenantId: 't', subject: 'stream', subjectId: 's', mode: 'latest', complete: true, authModes: [], items: [] },
      Buffer.alloc(32),
      { active: key, keys: [key.publicKey.toJwk(new Date(0), null)], statements: [] },
    );
    return encodeExportCbor(sealed.show(() => true, null));
  };

  it('answers 200 for what does not verify, and says what failed', async () => {
    const text = Buffer.from(await exportOf('json')).toString();
    const changed = await post(text.replace('what there is', 'what there was'));
    expect([changed.status, changed.body.ok]).toEqual([200, false]);
    expect(changed.body.checks.find((check: any) => !check.ok).name).toBe('disclosures');
    const spaced = await post(text.replace('{', '{ '));
    expect([spaced.status, spaced.body.checks]).toEqual([
      200,
      [{ name: 'format', ok: false, detail: expect.stringContaining('canonical') }],
    ]);
  });

  it('does not trust the outer digest of a repacked archive', async () => {
    const archive = Buffer.from(await exportOf('zip'));
    const body = archive.subarray(0, archive.length - 71);
    // A time in a header is no evidence; the digest at the end still shows the change.
    body[10] = body[10]! ^ 1;
    expect((await post(archive)).body.checks[0]).toMatchObject({ name: 'format', ok: false });
    const digest = createHash('sha256').update(body).digest('hex');
    expect((await post(Buffer.concat([body, Buffer.from(`sha256:${digest}`)]))).body.checks[0].ok).toBe(false);
  });

  it.each([
    ['nothing', () => Buffer.alloc(0)],
    ['noise', () => noise(5000)],
    ['text', () => Buffer.from('hello')],
    ['JSON of another kind', () => Buffer.from('{"a":1}')],
    ['JSON that breaks off', () => Buffer.from('{"format":"svc-export-v2"')],
    ['a gzip that breaks off', async () => gzipSync(await exportOf('json')).subarray(0, 500)],
    ['an archive that breaks off', async () => Buffer.from(await exportOf('zip')).subarray(0, 900)],
    ['an archive without its beginning', async () => Buffer.from(await exportOf('zip')).subarray(200)],
    ['an archive of something else', () => zipOf({ 'a.txt': Buffer.from('a') })],
    [
      'a name that leads elsewhere',
      async () => renamed(await zipOf({ 'aa/manifest.cbor': Buffer.of(0xa0) }), 'aa/', '../'),
    ],
    [
      'a name that comes twice',
      async () =>
        renamed(await zipOf({ 'manifest.cbor': Buffer.of(1), 'manifesT.cbor': Buffer.of(2) }), 'manifesT', 'manifest'),
    ],
    ['a gzip in a gzip', async () => gzipSync(gzipSync(await exportOf('json')))],
    ['an archive in a gzip', async () => gzipSync(await exportOf('zip'))],
    [
      'archives in an archive (42.zip)',
      async () => {
        let nest = await zipOf({ 'zeros.bin': Buffer.alloc(1_000_000) });
        for (let depth = 0; depth < 4; depth++)
          nest = await zipOf({ 'lib 0.zip': nest, 'lib 1.zip': nest, 'lib 2.zip': nest });
        return nest;
      },
    ],
  ])('answers 400 for %s', async (_, make) => {
    const { status, body } = await post(await make());
    expect([status, body.code]).toEqual([400, 'BUNDLE_MALFORMED']);
  });

  it.each([
    ['a gzip of zeros', () => gzipSync(Buffer.alloc(200_000_000))],
    ['a deflate of zeros', () => deflateSync(Buffer.alloc(70_000_000))],
    ['an archive of zeros', () => zipOf({ 'bomb.bin': Buffer.alloc(100_000_000) })],
    [
      'an archive of many files of zeros',
      () => zipOf(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}`, Buffer.alloc(2_000_000)]))),
    ],
    ['what grows too much within the size', () => gzipSync(Buffer.alloc(5_000_000))],
    [
      'more files than there may be',
      () => zipOf(Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`${n}`, Buffer.of(n)]))),
    ],
    ['too much that hardly grows', () => gzipSync(randomBytes(10_000).toString('hex').repeat(3500))],
  ])('answers 413 bundle_too_large for %s (B-4.8-7)', async (_, make) => {
    const { status, headers, body } = await post(await make(), 'application/zip');
    expect([status, body.code, body.type]).toEqual([413, 'bundle_too_large', 'urn:svc:errors/bundle_too_large']);
    expect([headers.get('retry-after'), body.limit_bytes]).toEqual([null, 67_108_864]);
  });

  it('answers 413 payload-too-large for more than 8 MiB as it comes (B-4.8-7)', async () => {
    const fits = await post(noise(8 * 1024 * 1024));
    expect([fits.status, fits.body.code]).toEqual([400, 'BUNDLE_MALFORMED']);
    const tooMuch = await post(noise(8 * 1024 * 1024 + 1));
    expect([tooMuch.status, tooMuch.body.type]).toEqual([413, 'urn:svc:errors/payload-too-large']);
  });

  it('takes bytes at this address alone', async () => {
    const { status, body } = await daemon.call('PUT', '/v1/entities/note/1', 'bytes', {
      'content-type': 'application/octet-stream',
    });
    expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('refuses for the moment what would wait too long', async () => {
    const bytes = await exportOf('zip');
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(bytes)));
    const [judged, refused] = [
      answers.filter(({ status }) => status === 200),
      answers.filter(({ status }) => status === 503),
    ];
    expect([judged.length + refused.length, judged.length > 0]).toEqual([40, true]);
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1');
  });

  /** Each checkpoint is tried with each key: a bundle of some hundred kilobytes that takes minutes. */
  const crafted = async (): Promise<Buffer> => {
    const key = SigningKey.generate();
    const since = new Date(0);
    const keys = Array.from({ length: 6000 }, () => new VerifyingKey(randomBytes(32)).toJwk(since, null));
    const sealed = await SignedExport.sign(
      { tenantId: 't', subject: 'stream', subjectId: 's', mode: 'latest', complete: true, authModes: [], items: [] },
      Buffer.alloc(32),
      { active: key, keys: [key.publicKey.toJwk(since, null), ...keys], statements: [] },
    );
    const checkpoint = signCheckpoint('log.example', { size: 1, root: Buffer.alloc(32) }, key);
    const consistency = Array.from({ length: 6000 }, () => ({ checkpoint, path: [] }));
    const { manifest, ...file } = sealed.show(() => true, null);
    // Of the first version, in which no statement has to name a key.
    const { statements: _, ...rest } = { ...manifest, v: 1 as const };
    const log = { checkpoint, consistency, proofs: [] };
    return gzipSync(encodeExportCbor({ ...file, format: EXPORT_FORMAT_V1, manifest: rest, log }));
  };

  it('does not take the wait for a crafted bundle for the time of the next one', { timeout: 60_000 }, async () => {
    const [slow, next] = [await crafted(), await exportOf('zip')];
    const first = post(slow);
    await setTimeout(500);
    const { status, headers, body } = await post(next);
    expect([status, headers.get('retry-after'), body.retryable]).toEqual([503, '1', true]);
    expect((await first).body).toMatchObject({
      code: 'bundle_too_large',
      detail: expect.stringContaining('20 seconds'),
    });
    expect((await post(next)).body.ok).toBe(true);
  });

  it('answers others while it is at a large one', async () => {
    const members = Array.from({ length: 300_000 }, (_, n) => [`${n}`, randomBytes(8).toString('hex')]);
    const large = gzipSync(
      JSON.stringify({ format: 'svc-export-v2', disclosures: [], ...Object.fromEntries(members) }),
    );
    let done = false;
    const judged = post(large).then((answer) => {
      done = true;
      return answer;
    });
    let answered = 0;
    while (!done) {
      expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
      answered++;
    }
    expect([(await judged).status, (await judged).body.ok, answered > 5]).toEqual([200, false, true]);
  });

  it('under enforce takes what the class Read takes (A-08)', async () => {
    const strict = await startReceiptsDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce' }, database: daemon.database });
    try {
      const bytes = Buffer.from(await exportOf('json')).toString();
      expect((await strict.as({})('POST', '/v1/audit/bundle/verify', bytes)).status).toBe(401);
      const read = strict.as({ scopes: 'receipts:read' });
      expect((await read('POST', '/v1/audit/bundle/verify', bytes)).body.ok).toBe(true);
      expect((await strict.as({ scopes: 'facts:write' })('POST', '/v1/audit/bundle/verify', bytes)).status).toBe(403);
    } finally {
      await strict.close();
    }
  });
});

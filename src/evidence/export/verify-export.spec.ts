import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical-json.js';
import { type CborValue, encodeCanonical } from '../cbor.js';
import { blake3, blake3Digest, namedDigest } from '../digest.js';
import { sha256 } from '../sha256.js';
import { logLeafHash } from '../log-entry.js';
import { encodeRetrieval, signReceipt } from '../receipt.js';
import { SigningKey } from '../signing-key.js';
import { appendLeaves, hashOfRange, TileSet } from '../tiles.js';
import { FieldTree, fieldDigest } from './export-fields.js';
import {
  decodeExportCbor,
  decodeExportJson,
  type Disclosure,
  encodeExportCbor,
  encodeExportJson,
  type ExportFile,
  MANIFEST_CONTENT_TYPE,
  manifestBytes,
} from './export-format.js';
import { archiveOf, expectStrictZip } from './export-zip.js';
import { SignedExport, type DraftItem, type ExportDraft } from './sign-export.js';
import { verifyExport } from './verify-export.js';
import { signCheckpoint, signCose, signNote } from '../../../test/kit/signed-forms.js';

const key = SigningKey.generate();
const now = new Date();
const jwk = key.publicKey.toJwk(new Date(now.getTime() - 60_000), null);
const facts = { tenant_id: 'acme', actor: 'key:1', auth_mode: 'api_key', occurred_at: now.toISOString() };
const first = signReceipt(
  { ...facts, kind: 'a', stream: 'main', seq: 1, prev: null, subject: 's', body: { n: 1 } },
  key,
);
const second = signReceipt(
  {
    ...facts,
    kind: 'answer.recorded',
    stream: 'main',
    seq: 2,
    prev: first.payloadHash,
    subject: 's',
    body: {
      ...{ answer_id: 's', version: 1, answer_hash: null },
      citations: [{ chunk_id: 'chk', content_hash: blake3Digest('t'), source: 'commons' }],
    },
  },
  key,
);
const retrieval = encodeRetrieval({
  ...facts,
  v: 1,
  kind: 'retrieval',
  nonce: new Uint8Array(16),
  body: { query: 'q' },
});

const receiptItem = ({ cose, receiptId, payloadHash, payload }: typeof first): DraftItem => ({
  type: 'receipt',
  record: namedDigest('blake3', blake3(cose)),
  value: { cose, receipt_id: receiptId, payload_hash: payloadHash, payload: { ...payload } },
});
const ITEMS: DraftItem[] = [receiptItem(first), receiptItem(second)];
const citation: DraftItem = {
  type: 'citation',
  record: null,
  value: {
    ...{ answer_id: 's', version: 1, ordinal: 0, chunk_id: 'chk', corpus_id: 'c', doc_id: 'd', doc_version: 1 },
    ...{ content: 't', content_hash: blake3Digest('t'), quote: null, quote_hash: null, binding: null },
  },
};

const tiles = new TileSet();
const records = [first.cose, second.cose];
appendLeaves(
  0,
  records.map((record) => logLeafHash('execution', blake3(record))),
  tiles,
);
const head = { size: 2, root: hashOfRange({ start: 0, end: 2 }, tiles) };
const sibling = (n: number) => namedDigest('sha256', hashOfRange({ start: 1 - n, end: 2 - n }, tiles));
const LOG = {
  checkpoint: signCheckpoint('log.example', head, key),
  consistency: [],
  epoch: null,
  timestamps: [],
  proofs: [0, 1].map((n) => ({ leaf_index: n, path: [sibling(n)] })),
};

const seal = (draft: Partial<ExportDraft> = {}) =>
  SignedExport.sign(
    {
      ...{ tenantId: 'acme', subject: 'action', subjectId: 's', mode: 'audit', complete: true },
      authModes: ['api_key'],
      items: ITEMS,
      ...draft,
    },
    Buffer.alloc(32, 1),
    { active: key, keys: [jwk], statements: [] },
  );
const make = async (draft: Partial<ExportDraft> = {}): Promise<ExportFile> => (await seal(draft)).show(() => true, LOG);
const failed = (file: ExportFile) =>
  verifyExport(file, {})
    .checks.filter(({ ok }) => !ok)
    .map(({ name }) => name);

describe('verifyExport', () => {
  it('accepts what is sound, and says who it is about', async () => {
    const file = await make({ items: [...ITEMS, citation] });
    expect([failed(file), verifyExport(file, {}).subjectId]).toEqual([[], 's']);
    expect(failed((await seal()).show(() => false, null))).toEqual([]);
  });

  it('asks for the trusted keys', async () => {
    const trusted = [{ key: SigningKey.generate().publicKey }];
    const verdict = verifyExport(await make(), { trusted });
    expect(verdict.checks.find(({ ok }) => !ok)?.name).toBe('keys');
    const early = [{ key: key.publicKey, exp: jwk.nbf + 30 }];
    expect(verifyExport(await make(), { trusted: early }).checks.find(({ ok }) => !ok)?.name).toBe('signatures');
  });

  it.each([
    [
      'a manifest that another signed',
      (file: ExportFile) => ({ ...file, manifest: { ...file.manifest, complete: false } }),
      ['signature'],
    ],
    [
      'fields out of order',
      (file: ExportFile) => ({ ...file, disclosures: file.disclosures.toReversed() }),
      ['disclosures'],
    ],
    [
      'a field shown twice',
      (file: ExportFile) => ({ ...file, disclosures: [file.disclosures[0]!, ...file.disclosures] }),
      ['disclosures'],
    ],
    [
      'a salt of its own',
      (file: ExportFile) => ({
        ...file,
        disclosures: file.disclosures.map((one, n) => (n === 0 ? { ...one, salt: new Uint8Array(16) } : one)),
      }),
      ['disclosures'],
    ],
    [
      'a record without its fields',
      (file: ExportFile) => ({ ...file, disclosures: file.disclosures.filter(({ path }) => path.at(-1) !== 'actor') }),
      ['records'],
    ],
    [
      'a proof too few',
      (file: ExportFile) => ({ ...file, log: { ...LOG, proofs: LOG.proofs.slice(1) } }),
      ['inclusion'],
    ],
    [
      'proofs of each other',
      (file: ExportFile) => ({ ...file, log: { ...LOG, proofs: LOG.proofs.toReversed() } }),
      ['inclusion'],
    ],
    [
      'a checkpoint that another signed',
      (file: ExportFile) => ({
        ...file,
        log: { ...LOG, checkpoint: signCheckpoint('log.example', head, SigningKey.generate()) },
      }),
      ['checkpoint', 'inclusion', 'consistency'],
    ],
    [
      'a second signature that nobody knows',
      (file: ExportFile) => {
        const [text = ''] = LOG.checkpoint.split('\n\n');
        const foreign = signNote(`${text}\n`, 'witness.example', SigningKey.generate()).split('\n\n')[1]!;
        return { ...file, log: { ...LOG, checkpoint: LOG.checkpoint + foreign } };
      },
      ['checkpoint', 'inclusion', 'consistency'],
    ],
  ])('refuses %s', async (_, change, expected) => {
    expect(failed(change(await make()))).toEqual(expect.arrayContaining(expected.slice(0, 1)));
  });

  it.each([
    ['a record that is another', { items: [{ ...ITEMS[0]!, record: ITEMS[1]!.record }, ITEMS[1]!] }, 'records'],
    ['a record that is none', { items: [...ITEMS, { ...citation, record: ITEMS[0]!.record }] }, 'records'],
    [
      'fields that are not the record’s',
      {
        items: [
          { ...ITEMS[0]!, value: { ...ITEMS[0]!.value, payload: { ...first.payload, actor: 'key:2' } } },
          ITEMS[1]!,
        ],
      },
      'records',
    ],
    [
      'an id that is not the record’s',
      { items: [{ ...ITEMS[0]!, value: { ...ITEMS[0]!.value, receipt_id: second.receiptId } }, ITEMS[1]!] },
      'records',
    ],
    ['records of another tenant', { tenantId: 'umbrella' }, 'records'],
    ['a mode that is not listed', { authModes: ['jwt_hs256'] }, 'records'],
    ['links in the wrong order', { items: ITEMS.toReversed() }, 'chain'],
    [
      'a text that no receipt names',
      { items: [...ITEMS, { ...citation, value: { content: 'u', content_hash: blake3Digest('u') } }] },
      'contents',
    ],
    [
      'a text that is not its digest',
      { items: [...ITEMS, { ...citation, value: { content: 'u', content_hash: blake3Digest('t') } }] },
      'contents',
    ],
    ['a development mode', { authModes: ['api_key', 'dev_scopes'] }, 'auth-mode'],
    ['the mode off', { authModes: ['api_key', 'off'] }, 'auth-mode'],
  ] as [string, Partial<ExportDraft>, string][])('refuses, though it is signed, %s', async (_, draft, expected) => {
    expect(failed(await make(draft))[0]).toBe(expected);
  });

  it('takes an auth_mode for that of a record in records alone', async () => {
    const event: DraftItem = { type: 'event', record: null, value: { payload: { auth_mode: 'password' } } };
    expect(failed(await make({ items: [...ITEMS, event] }))).toEqual([]);
  });

  it.each([
    ['a text without its digest', { content: 't', content_hash: null }],
    ['a digest without its text', { content: null, content_hash: blake3Digest('t') }],
    ['a text that is none', { content: 5, content_hash: blake3Digest('t') }],
  ])('refuses %s', async (_, value) => {
    expect(failed(await make({ items: [...ITEMS, { ...citation, value }] }))).toEqual(['contents']);
  });

  it('refuses a record that is no byte string', async () => {
    const named = { ...ITEMS[0]!, value: { cose: 'text' } };
    expect(failed(await make({ items: [named, ITEMS[1]!] }))[0]).toBe('records');
  });

  it.each(['2026-02-30T10:00:00.000Z', '2026-01-01T24:00:00.000Z'])(
    'refuses a receipt of %s, which is no time',
    async (occurred_at) => {
      const odd = signReceipt({ ...first.payload, occurred_at }, key);
      expect(failed(await make({ items: [receiptItem(odd), ITEMS[1]!] }))).toContain('records');
    },
  );

  it('takes a development mode when it is asked to', async () => {
    const file = await make({ authModes: ['api_key', 'dev_scopes'] });
    const { checks } = verifyExport(file, { development: true });
    expect([checks.every(({ ok }) => ok), checks.find(({ name }) => name === 'auth-mode')?.detail]).toEqual([
      true,
      expect.stringContaining('NO PROOF'),
    ]);
  });

  it('checks retrieval receipts by their digest', async () => {
    const item: DraftItem = {
      type: 'retrieval',
      record: retrieval.receiptId,
      value: {
        cbor: retrieval.bytes,
        receipt_id: retrieval.receiptId,
        payload: { ...facts, v: 1, kind: 'retrieval', nonce: new Uint8Array(16), body: { query: 'q' } },
      },
    };
    expect(failed((await seal({ items: [item] })).show(() => true, null))).toEqual([]);
    const other = { ...item, value: { ...item.value, receipt_id: `blake3:${'0'.repeat(64)}` } };
    expect(failed((await seal({ items: [other] })).show(() => true, null))).toEqual(['records']);
  });
});

describe('a reference in place of an id of a chunk', () => {
  const naming = (chunk_id: string): DraftItem => ({ type: 'finding', record: null, value: { chunk_id } });
  /** With another value of the fields of that name in an item, signed again. */
  const forged = async (
    items: DraftItem[],
    at: number,
    other: (file: ExportFile) => CborValue,
  ): Promise<ExportFile> => {
    const file = await make({ items: [...ITEMS, ...items] });
    const isIt = ({ path }: Disclosure) => path[1] === at + ITEMS.length && path[2] === 'chunk_ref';
    const old = file.disclosures.find(isIt)!;
    const made = { ...old, value: other(file) };
    const text = JSON.stringify(file.manifest).replace(fieldDigest(old), fieldDigest(made));
    const manifest = JSON.parse(text) as ExportFile['manifest'];
    const signature = signCose(key, MANIFEST_CONTENT_TYPE, manifestBytes(manifest), true);
    return { ...file, manifest, signature, disclosures: file.disclosures.map((one) => (isIt(one) ? made : one)) };
  };
  const referenceOf = (file: ExportFile, at: number) =>
    file.disclosures.find(({ path }) => path[1] === at + ITEMS.length && path[2] === 'chunk_ref')!.value;

  it('is the same for the same, and says nothing of it', async () => {
    const file = await make({ items: [...ITEMS, naming('chk_a'), naming('chk_b'), naming('chk_a')] });
    const [a, b, again] = [0, 1, 2].map((at) => referenceOf(file, at));
    expect([failed(file), a === again, a === b]).toEqual([[], true, false]);
    expect(a).toMatch(/^ref_[0-9a-f]{32}$/);
    const later = await make({ items: [...ITEMS, naming('chk_a')], subjectId: 'another' });
    expect(referenceOf(later, 0)).not.toBe(a);
  });

  it('is refused where it goes with another id, or an id with another', async () => {
    const another = await forged([naming('chk_a'), naming('chk_a')], 1, () => `ref_${'0'.repeat(32)}`);
    expect(failed(another)).toEqual(['contents']);
    const shared = await forged([naming('chk_a'), naming('chk_b')], 1, (file) => referenceOf(file, 0));
    expect(failed(shared)).toEqual(['contents']);
    expect(failed(await forged([naming('chk_a')], 0, () => `ref_${'0'.repeat(32)}`))).toEqual([]);
  });
});

describe('the encodings of an export', () => {
  it('say the same, and each says it in one way alone', async () => {
    const file = await make({
      items: [
        ...ITEMS,
        { type: 'other', record: null, value: { bytes: Buffer.of(1), deep: { of: [1.5, -1e300, 'x'] } } },
      ],
    });
    const json = encodeExportJson(file);
    const parsed = JSON.parse(Buffer.from(json).toString()) as unknown;
    expect(decodeExportJson(json, parsed)).toEqual(decodeExportCbor(encodeExportCbor(file)));
    const spaced = Buffer.from(JSON.stringify(parsed, null, 1));
    expect(() => decodeExportJson(spaced, parsed)).toThrow(/canonical/);
    expect(() => decodeExportCbor(Buffer.concat([encodeExportCbor(file), Buffer.of(0)]))).toThrow();
  });

  it.each([
    ['an unknown member', { more: 1 }],
    ['another format', { format: 'svc-export-v3' }],
    ['no log', { log: undefined }],
    ['a log of another shape', { log: {} }],
    ['a signature that is none', { signature: 'n.ne' }],
  ])('refuse %s', async (_, change) => {
    const value = { ...(JSON.parse(Buffer.from(encodeExportJson(await make())).toString()) as object), ...change };
    const bytes = canonicalJson(value);
    expect(() => decodeExportJson(bytes, JSON.parse(Buffer.from(bytes).toString()))).toThrow();
    const whole = { ...decodeExportCbor(encodeExportCbor(await make())), ...change };
    const given = Object.fromEntries(Object.entries(whole).filter(([, member]) => member !== undefined));
    expect(() => decodeExportCbor(encodeCanonical(given as never))).toThrow();
  });

  it.each([[['seat', 'api_key']], [['seat', 'seat']]])('refuse the auth modes %j', async (auth_modes) => {
    const file = await make();
    const changed = { ...file, manifest: { ...file.manifest, auth_modes } };
    expect(() => decodeExportCbor(encodeExportCbor(changed))).toThrow(/ascending/);
  });

  it('have no place in an archive for a byte that says nothing', async () => {
    const file = await make();
    const archive = Buffer.from(await archiveOf(file, encodeCanonical(file.disclosures as never)));
    const end = archive.length - 71 - 22;
    const disk = archive.readUInt32LE(end + 16) + 34;
    await expectStrictZip(archive);
    for (const at of [disk, end + 4, end + 6, end + 8, end + 12]) {
      const body = Buffer.from(archive.subarray(0, -71));
      body[at]! ^= 1;
      const changed = Buffer.concat([body, Buffer.from(namedDigest('sha256', sha256(body)))]);
      await expect(expectStrictZip(changed), `byte ${at}`).rejects.toThrow();
    }
  });

  it('let no field hide another', () => {
    const fields = new FieldTree();
    fields.put(['a', 'b'], 1);
    for (const path of [['a'], ['a', 'b'], ['a', 'b', 'c']]) expect(() => fields.put(path, 2)).toThrow(/same path/);
  });

  it('give the same salts to the same state, and others to another', async () => {
    const salts = async (draft: Partial<ExportDraft>) =>
      (await make(draft)).disclosures.map(({ salt }) => Buffer.from(salt).toString('hex'));
    expect(await salts({})).toEqual(await salts({}));
    const [a, b] = [await salts({}), await salts({ items: [ITEMS[0]!] })];
    expect(a.filter((salt) => b.includes(salt))).toEqual([]);
    expect(new Set(a).size).toBe(a.length);
  });
});

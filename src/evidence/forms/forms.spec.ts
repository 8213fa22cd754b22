import { createPublicKey } from 'node:crypto';
import { Sign1 } from '@auth0/cose';
import { bundleFromJSON } from '@sigstore/bundle';
import { PublicKeyDetails, TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { describe, expect, it } from 'vitest';
import type { CborValue } from '../cbor.js';
import { parseCheckpoint } from '../checkpoint.js';
import { parseCose } from '../cose.js';
import { blake3, blake3Digest, namedDigest } from '../digest.js';
import { type RecordType, logLeafHash } from '../log-entry.js';
import { inclusionRanges, leafHash } from '../merkle.js';
import { encodeRetrieval, RECEIPT_CONTENT_TYPE, RETRIEVAL_CONTENT_TYPE, signReceipt } from '../receipt.js';
import type { FreshnessDemand } from '../freshness.js';
import { signNow } from '../signer.js';
import { draftMessage, LABEL } from './cose-message.js';
import type { Purpose } from '../purposes.js';
import { SigningKey } from '../signing-key.js';
import type { AnyTrustedKey } from '../trusted-keys.js';
import { appendLeaves, hashOfRange, TileSet } from '../tiles.js';
import { readCoseReceipt } from './cose-receipt.js';
import { entryOf, type LoggedRecord, rootOf } from './logged-record.js';
import { Es256SigningKey } from './signature-keys.js';
import { writeTlogProof } from './tlog-proof.js';
import { isStandardForm, verifyForm } from './verify-form.js';
import { signCheckpoint, signCoseReceipt, signReceiptBundle, signStatement } from '../../../test/kit/signed-forms.js';

const key = SigningKey.generate();
const es256 = Es256SigningKey.generate();
const trusted: AnyTrustedKey[] = [{ key: key.publicKey }, { key: es256.publicKey }];
const ORIGIN = 'log.example/svc';
const BASE = 'https://svc.example';

const execution = signReceipt(
  {
    kind: 'ingest.accepted',
    tenant_id: 'acme',
    stream: 'main',
    seq: 1,
    prev: null,
    occurred_at: '2026-11-20T10:00:00.000Z',
    actor: 'key:1',
    auth_mode: 'api_key',
    subject: 'document:notes/hello',
    body: { content_hash: blake3Digest('hello') },
  },
  key,
);
const retrieval = encodeRetrieval({
  v: 1,
  kind: 'retrieval',
  tenant_id: 'acme',
  occurred_at: '2026-11-20T10:00:01.000Z',
  actor: 'key:1',
  auth_mode: 'api_key',
  nonce: new Uint8Array(16).fill(7),
  body: { results: [] },
});

/** The record as leaf 3 of a log of seven. */
function logged(type: RecordType, record: Uint8Array, checkpointKey = key): LoggedRecord {
  const others = Array.from({ length: 6 }, (_, n) => leafHash(Buffer.from(`other ${String(n)}`)));
  const leaves = others.toSpliced(3, 0, logLeafHash(type, blake3(record)));
  const tiles = new TileSet();
  appendLeaves(0, leaves, tiles);
  const hash = (range: { start: number; end: number }) => hashOfRange(range, tiles);
  return {
    type,
    record,
    leaf_index: 3,
    path: inclusionRanges(3, 7).map((range) => namedDigest('sha256', hash(range))),
    checkpoint: signCheckpoint(ORIGIN, { size: 7, root: hash({ start: 0, end: 7 }) }, checkpointKey),
  };
}

const RECORDS = [logged('execution', execution.cose), logged('retrieval', retrieval.bytes)] as const;
const FORMS: Record<string, (record: LoggedRecord) => Uint8Array> = {
  'tlog-proof': writeTlogProof,
  'cose-receipt': (record) => signCoseReceipt(record, key),
  'cose-receipt by ES256': (record) => signCoseReceipt(record, es256),
  statement: (record) =>
    signStatement(record, {
      issuer: BASE,
      receipts: [signCoseReceipt(record, key), signCoseReceipt(record, es256)],
      key,
    }),
  sigstore: (record) => signReceiptBundle(record, { base: BASE, key }),
};
const parsed = (file: Uint8Array): unknown => (file[0] === 0x7b ? JSON.parse(Buffer.from(file).toString()) : undefined);
const judge = (file: Uint8Array, keys: typeof trusted | undefined = trusted) => {
  try {
    return verifyForm(file, keys, parsed(file));
  } catch {
    return { ok: false, checks: [] };
  }
};
const failing = (file: Uint8Array, keys?: typeof trusted): string | undefined =>
  judge(file, keys).checks.find(({ ok }) => !ok)?.name;

describe.each(Object.entries(FORMS))('the form %s', (name, write) => {
  it.each(RECORDS)('of a record of type $type verifies', (record) => {
    const file = write(record);
    expect(isStandardForm(file, parsed(file))).toBe(true);
    expect(judge(file)).toMatchObject({ ok: true, format: name.split(' ')[0] });
  });

  it('shows nothing without a key, or with another', () => {
    const file = write(RECORDS[0]);
    expect(verifyForm(file, undefined, parsed(file)).checks.find(({ ok }) => !ok)).toMatchObject({
      name: 'keys',
      detail: expect.stringContaining('no key inside') as unknown,
    });
    expect(judge(file, [{ key: SigningKey.generate().publicKey }]).ok).toBe(false);
  });

  it('refuses 2,000 random single-byte changes', () => {
    const file = write(RECORDS[0]);
    for (let round = 0; round < 2000; round++) {
      const changed = Uint8Array.from(file);
      const at = Math.floor(Math.random() * changed.length);
      changed[at] = (changed[at]! + 1 + Math.floor(Math.random() * 255)) % 256;
      expect(judge(changed).ok, `byte ${String(at)}`).toBe(false);
    }
  });

  it('refuses a byte more and a byte less', () => {
    const file = write(RECORDS[0]);
    expect([judge(Buffer.concat([file, Buffer.of(10)])).ok, judge(file.subarray(0, -1)).ok]).toEqual([false, false]);
  });
});

describe('keys that are trusted for some purposes', () => {
  const forPurposes = (...purposes: Purpose[]) => [
    { key: key.publicKey, purposes },
    { key: es256.publicKey, purposes },
  ];
  it.each<[string, Purpose[], string | undefined]>([
    ['cose-receipt', ['log'], undefined],
    ['cose-receipt', ['receipts', 'exports'], 'signature'],
    ['cose-receipt by ES256', ['log'], undefined],
    ['cose-receipt by ES256', ['receipts'], 'signature'],
    ['tlog-proof', ['receipts', 'log'], undefined],
    ['tlog-proof', ['log'], 'record'],
    ['tlog-proof', ['receipts'], 'checkpoint'],
    ['statement', ['receipts', 'log'], undefined],
    ['statement', ['log'], 'signature'],
    ['statement', ['receipts'], 'inclusion'],
    ['sigstore', ['receipts', 'log'], undefined],
    ['sigstore', ['log'], 'signature'],
    ['sigstore', ['receipts'], 'checkpoint'],
  ])('sign a %s for %j', (name, purposes, expected) => {
    expect(failing(FORMS[name]!(RECORDS[0]), forPurposes(...purposes))).toBe(expected);
  });
});

describe('what is known of the log', () => {
  const WITH_CHECKPOINT = ['tlog-proof', 'sigstore'];
  const step = (file: Uint8Array, keys: AnyTrustedKey[], demand?: FreshnessDemand) =>
    verifyForm(file, keys, parsed(file), demand).checks.find(({ ok }) => !ok)?.name;
  const head = parseCheckpoint(RECORDS[0].checkpoint);

  it.each(Object.keys(FORMS))('is asked of a %s: the name of the log, a kept checkpoint, witnesses', (name) => {
    const file = FORMS[name]!(RECORDS[0]);
    const witnesses = [{ name: 'witness.example', key: SigningKey.generate().publicKey }] as never;
    const asked = (demand: FreshnessDemand) => step(file, trusted, demand);
    const carries = WITH_CHECKPOINT.includes(name);
    expect([asked({}), asked({ origin: ORIGIN }), asked({ origin: 'other.example/log' })]).toEqual([
      undefined,
      undefined,
      'freshness',
    ]);
    expect([asked({ checkpoint: head }), asked({ witnesses })]).toEqual([
      carries ? undefined : 'freshness',
      'freshness',
    ]);
  });

  it('is not answered by a record alone', () => {
    expect(step(execution.cose, trusted, { origin: ORIGIN })).toBe('freshness');
  });

  it.each([
    ['tlog-proof', 'checkpoint'],
    ['cose-receipt', 'signature'],
    ['statement', 'inclusion'],
    ['sigstore', 'checkpoint'],
  ])('is in the name of a note verifier key: %s', (name, failed) => {
    const byName = (of: string): AnyTrustedKey[] => [{ key: key.publicKey, name: of }, { key: es256.publicKey }];
    const file = FORMS[name]!(RECORDS[0]);
    expect([step(file, byName(ORIGIN)), step(file, byName('other.example/log'))]).toEqual([undefined, failed]);
  });
});

describe('a statement that was made up', () => {
  const invented = signReceipt({ ...execution.payload, subject: 'document:notes/invented' }, key);
  const parts = (record: Uint8Array) => {
    const { payload, protectedHeader, signature } = parseCose(record);
    return { payload: payload!, signed: [protectedHeader, signature] };
  };
  /** Signed by the key of the log, as one who has it could. */
  function forge(
    subject: string,
    payload: Uint8Array,
    claims: [number, CborValue][],
    contentType = RECEIPT_CONTENT_TYPE,
  ) {
    const all = new Map<number, CborValue>([[1, BASE], [2, subject], ...claims]);
    const draft = draftMessage(key, {
      protected: [
        [LABEL.contentType, contentType],
        [LABEL.claims, all],
      ],
      unprotected: new Map([[LABEL.receipts, [signCoseReceipt(RECORDS[0], key)]]]),
      payload,
      isDetached: false,
    });
    return signNow(draft, key);
  }
  const entry = entryOf(RECORDS[0]);
  const own = parts(execution.cose);
  const fake = parts(invented.cose);

  it.each<[string, Uint8Array, string]>([
    [
      'with the entry of another record',
      forge(invented.receiptId, fake.payload, [
        [-70003, entry],
        [-70004, fake.signed],
      ]),
      'format',
    ],
    [
      'with the signature of another record',
      forge(invented.receiptId, fake.payload, [
        [-70003, entry],
        [-70004, own.signed],
      ]),
      'format',
    ],
    ['without the signature of its record', forge(execution.receiptId, own.payload, [[-70003, entry]]), 'format'],
    [
      'with an entry that no receipt is of',
      forge(invented.receiptId, fake.payload, [
        [-70003, entryOf({ type: 'execution', record: invented.cose })],
        [-70004, fake.signed],
      ]),
      'inclusion',
    ],
    [
      'of a retrieval with the entry of another',
      forge(
        retrieval.receiptId,
        retrieval.bytes,
        [[-70003, entryOf(logged('retrieval', invented.cose))]],
        RETRIEVAL_CONTENT_TYPE,
      ),
      'format',
    ],
  ])('%s is none', (_, file, failed) => expect(failing(file)).toBe(failed));

  it('is the real one with the parts of its record', () => {
    expect(
      failing(
        forge(execution.receiptId, own.payload, [
          [-70003, entry],
          [-70004, own.signed],
        ]),
      ),
    ).toBeUndefined();
  });
});

describe('programs of others', () => {
  const handle = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.publicKey.bytes).toString('base64url') },
    format: 'jwk',
  });

  it.each(RECORDS)('@auth0/cose verifies the COSE receipts of a $type record over the root', async (record) => {
    for (const [signer, publicKey] of [
      [key, handle],
      [es256, createPublicKey({ key: { ...es256.publicKey.toJwk() }, format: 'jwk' })],
    ] as const) {
      const file = signCoseReceipt(record, signer);
      const detachedPayload = rootOf(entryOf(record), readCoseReceipt(file));
      await Sign1.decode(file).verify(publicKey, { detachedPayload });
      await expect(Sign1.decode(file).verify(publicKey, { detachedPayload: new Uint8Array(32) })).rejects.toThrow();
    }
  });

  it('@auth0/cose verifies a statement', async () => {
    const file = FORMS.statement!(RECORDS[0]);
    await Sign1.decode(file).verify(handle);
    const at = Buffer.from(file).indexOf('notes/hello');
    await expect(Sign1.decode(Uint8Array.from(file).fill(0x78, at, at + 1)).verify(handle)).rejects.toThrow();
  });

  it('@sigstore/verify verifies a bundle', () => {
    const verifier = new Verifier(
      toTrustMaterial(
        TrustedRoot.fromJSON({ mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1' }),
        {
          [key.kid]: {
            rawBytes: handle.export({ type: 'spki', format: 'der' }),
            keyDetails: PublicKeyDetails.PKIX_ED25519,
          },
        },
      ),
      { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 },
    );
    const file = JSON.parse(Buffer.from(FORMS.sigstore!(RECORDS[0])).toString()) as {
      dsseEnvelope: { payload: string };
    };
    verifier.verify(toSignedEntity(bundleFromJSON(file)));
    file.dsseEnvelope.payload = Buffer.from('{}').toString('base64');
    expect(() => verifier.verify(toSignedEntity(bundleFromJSON(file)))).toThrow('signature verification failed');
  });
});

describe('a form that says what does not fit', () => {
  it('names the checkpoint of another log', () => {
    expect(failing(writeTlogProof(logged('execution', execution.cose, SigningKey.generate())))).toBe('checkpoint');
  });

  it('names the receipt of another record in a statement', () => {
    const file = signStatement(RECORDS[0], { issuer: BASE, receipts: [signCoseReceipt(RECORDS[1], key)], key });
    expect(failing(file)).toBe('inclusion');
  });

  it('names a record made under a development mode', () => {
    const { payload } = execution;
    const dev = signReceipt({ ...payload, auth_mode: 'dev_scopes' }, key);
    for (const form of ['tlog-proof', 'statement', 'sigstore'])
      expect(failing(FORMS[form]!(logged('execution', dev.cose)))).toBe('auth-mode');
  });

  it('names a key that was not valid yet', () => {
    const late = [{ key: key.publicKey, nbf: Date.parse('2026-12-01') / 1000 }];
    expect(judge(writeTlogProof(RECORDS[0]), late as never).checks.find(({ ok }) => !ok)?.name).toBe('record');
  });
});

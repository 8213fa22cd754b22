import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.js';
import type { CborMap } from './cbor.js';
import { blake3, blake3Digest, type Digest, namedDigest } from './digest.js';
import { expectLogName } from './file-keys.js';
import { logLeafHash } from './log-entry.js';
import { consistencyRanges, inclusionRanges, leafHash } from './merkle.js';
import type { PackParts } from './pack.js';
import type { ProofPack } from './pack-format.js';
import { PassageTree } from './passage-tree.js';
import { encodeRetrieval, RECEIPT_CONTENT_TYPE, type ReceiptPayload, signReceipt } from './receipt.js';
import { noteVerifierKey } from './signed-note.js';
import { SigningKey } from './signing-key.js';
import { appendLeaves, hashOfRange, TileSet } from './tiles.js';
import { chainKeysOf, parseTrustedKeys } from './trusted-keys.js';
import { verifyPack } from './verify-pack.js';
import { signCheckpoint, signCose, signPack } from '../../test/kit/signed-forms.js';

const key = SigningKey.generate();
const ORIGIN = 'log.example/svc';
const CONTENT = 'Evidence \u2014 \u00fcber alles in Gr\u00f6\u00dfe gepr\u00fcft.';
const cited = { chunk_id: 'chk_1', content_hash: blake3Digest(CONTENT), corpus_id: 'c', doc_id: 'd', version: 1 };

function receipt(seq: number, prev: Digest | null, changes: Partial<ReceiptPayload> = {}, by = key) {
  return signReceipt(
    {
      kind: 'answer.cited',
      tenant_id: 'acme',
      stream: 'main',
      seq,
      prev,
      occurred_at: '2026-11-20T10:00:00.000Z',
      actor: 'key:1',
      auth_mode: 'api_key',
      subject: `answer-${String(seq)}`,
      body: { citations: [{ ...cited }] },
      ...changes,
    },
    by,
  );
}

const retrieval = encodeRetrieval({
  v: 1,
  kind: 'retrieval',
  tenant_id: 'acme',
  occurred_at: '2026-11-20T09:59:59.000Z',
  actor: 'key:1',
  auth_mode: 'api_key',
  nonce: new Uint8Array(16).fill(7),
  body: { results: [{ ...cited, score: 1.25 }] },
});

/** The cited passage is the second of three. */
const siblings = ['before', 'after'].map((text, n) => ({
  chunkId: `chk_sibling_${String(n)}`,
  contentHash: blake3Digest(text),
  start: n * 100,
  end: n * 100 + 10,
}));
const leaf = { chunkId: cited.chunk_id, contentHash: cited.content_hash, start: 20, end: 60 };
const tree = new PassageTree([siblings[0]!, leaf, siblings[1]!]);
const ingest = (kind: string, body: CborMap = {}) =>
  receipt(1, null, {
    kind,
    stream: kind,
    body: { corpus_id: 'c', doc_id: 'd', version: 1, content_hash: blake3Digest('document'), ...body },
  });
const completed = ingest('ingest.completed', { passages: 3, passages_root: tree.root });
const binding = { receipt_id: completed.receiptId, index: 1, path: tree.pathOf(1), start: 20, end: 60 };

/** A whole and sound pack: two neighbours in a chain, the ingest, a retrieval, a chunk, an earlier checkpoint. */
function parts(named = chain()): PackParts {
  const receipts = [...named, completed];
  const leaves = [
    ...receipts.map((one) => logLeafHash('execution', blake3(one.cose))),
    logLeafHash('retrieval', blake3(retrieval.bytes)),
    ...Array.from({ length: 6 }, (_, n) => leafHash(Buffer.from(`other ${String(n)}`))),
  ];
  const tiles = new TileSet();
  appendLeaves(0, leaves, tiles);
  const head = (size: number) => ({ size, root: hashOfRange({ start: 0, end: size }, tiles) });
  const place = (index: number) => ({
    leaf_index: index,
    path: inclusionRanges(index, leaves.length).map((range) => namedDigest('sha256', hashOfRange(range, tiles))),
  });
  return {
    checkpoint: signCheckpoint(ORIGIN, head(leaves.length), key),
    chunks: [{ ...cited, content: CONTENT, receipt_id: receipts[0]?.receiptId ?? '', binding }],
    consistency: [
      {
        checkpoint: signCheckpoint(ORIGIN, head(3), key),
        path: consistencyRanges(3, leaves.length).map((range) => namedDigest('sha256', hashOfRange(range, tiles))),
      },
    ],
    epoch: null,
    keys: [key.publicKey.toJwk(new Date('2026-01-01'), null)],
    statements: [],
    made_at: '2026-11-20T11:00:00.000Z',
    receipts: receipts.map((one, n) => ({
      ...place(n),
      cose: Buffer.from(one.cose).toString('base64'),
      receipt_id: one.receiptId,
    })),
    retrievals: [
      {
        ...place(receipts.length),
        cbor: Buffer.from(retrieval.bytes).toString('base64'),
        receipt_id: retrieval.receiptId,
      },
    ],
    subject: { id: 'answer-1', type: 'answer' },
    tenant_id: 'acme',
  };
}

function chain() {
  const first = receipt(1, null);
  return [first, receipt(2, first.payloadHash)];
}

const firstFailure = (file: Uint8Array, trusted?: Parameters<typeof verifyPack>[1]) =>
  verifyPack(file, trusted).checks.find((check) => !check.ok);
/** As a forger with a key of their own would: everything signed again. */
const forged = (changes: Partial<PackParts>): Uint8Array => signPack({ ...parts(), ...changes }, key);

const bound = (changes: Partial<typeof binding> | null): Uint8Array =>
  forged({ chunks: parts().chunks.map((chunk) => ({ ...chunk, binding: changes && { ...binding, ...changes } })) });

describe('verifying a proof pack', () => {
  it('accepts a sound one and says what it rests on', () => {
    const verdict = verifyPack(signPack(parts(), key));
    expect(verdict.checks.filter((check) => !check.ok)).toEqual([]);
    expect(verdict.ok).toBe(true);
    expect(verdict.checks.find((check) => check.name === 'keys')?.detail).toContain('self-asserted');
  });

  it('refuses 1,000 random single-byte changes, each with a named check', () => {
    const file = signPack(parts(), key);
    const names = new Map<string, number>();
    for (let round = 0; round < 1000; round++) {
      const changed = Uint8Array.from(file);
      const at = Math.floor(Math.random() * file.length);
      changed[at] = ((changed[at] ?? 0) + 1 + Math.floor(Math.random() * 255)) % 256;
      const failure = firstFailure(changed);
      expect(failure?.detail, `byte ${String(at)}`).toBeTruthy();
      names.set(failure?.name ?? '', (names.get(failure?.name ?? '') ?? 0) + 1);
    }
    expect(names.size).toBeGreaterThan(3);
  });

  it('refuses every single-bit change of every byte', () => {
    const file = signPack(parts(), key);
    for (let at = 0; at < file.length; at++) {
      const changed = Uint8Array.from(file);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      expect(verifyPack(changed).ok, `byte ${String(at)}`).toBe(false);
    }
  });

  it('refuses truncation, extension and other files', () => {
    const file = signPack(parts(), key);
    const whole = Buffer.from(file);
    const others = [
      whole.subarray(0, -1),
      Buffer.concat([whole, Buffer.from('\n')]),
      Buffer.alloc(0),
      Buffer.from('[]'),
    ];
    const bom = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole]);
    const pretty = Buffer.from(JSON.stringify(JSON.parse(whole.toString()), null, 2));
    for (const other of [...others, bom, pretty, Buffer.from('['.repeat(200_000))]) {
      expect(firstFailure(other)?.name).toBe('format');
    }
  });

  it('refuses a foreign key when one is pinned, in every form a key comes in', () => {
    const file = signPack(parts(), key);
    const other = SigningKey.generate();
    const forms = (one: SigningKey) => [
      one.toPem(),
      JSON.stringify({ keys: [one.publicKey.toJwk(new Date(0), null), { kty: 'RSA' }] }),
      JSON.stringify(one.publicKey.toJwk(new Date(0), null)),
      noteVerifierKey(ORIGIN, one.publicKey.bytes),
    ];
    for (const form of forms(key)) expect(verifyPack(file, chainKeysOf(parseTrustedKeys(form))).ok).toBe(true);
    for (const form of forms(other)) expect(firstFailure(file, chainKeysOf(parseTrustedKeys(form)))?.name).toBe('keys');
  });

  it('holds keys of a set to their purposes, where it says them', () => {
    const file = signPack(parts(), key);
    const withPurposes = (...svc_purposes: unknown[]) =>
      chainKeysOf(
        parseTrustedKeys(JSON.stringify({ keys: [{ ...key.publicKey.toJwk(new Date(0), null), svc_purposes }] })),
      );
    expect(verifyPack(file, withPurposes('receipts', 'log', 'exports')).ok).toBe(true);
    expect(verifyPack(file, withPurposes('receipts', 'log', 'exports', 'later')).ok).toBe(true);
    expect(firstFailure(file, withPurposes('log', 'exports'))?.name).toBe('signatures');
    expect(firstFailure(file, withPurposes('receipts', 'exports'))?.name).toBe('checkpoint');
    expect(firstFailure(file, withPurposes('receipts', 'log'))?.name).toBe('seal');
    expect(() =>
      parseTrustedKeys(JSON.stringify({ ...key.publicKey.toJwk(new Date(0), null), svc_purposes: 'log' })),
    ).toThrow('must be a list');
  });

  it('holds the name of a note verifier key against the log, a number at its end apart', () => {
    const file = signPack(parts(), key);
    const named = (name: string) => chainKeysOf(parseTrustedKeys(noteVerifierKey(name, key.publicKey.bytes)));
    expect(firstFailure(file, named('log.example/other'))).toMatchObject({ name: 'checkpoint' });
    expect(firstFailure(file, named(`${ORIGIN}/2`))).toMatchObject({ name: 'checkpoint' });
    expect(() => expectLogName(`${ORIGIN}/2`, named(ORIGIN))).not.toThrow();
  });

  it('holds a trusted key to its published validity', () => {
    const ended = { key: key.publicKey, nbf: 0, exp: Date.parse('2026-11-20T09:00:00Z') / 1000 };
    expect(firstFailure(signPack(parts(), key), [ended])?.name).toBe('signatures');
  });

  it.each<[string, string, () => Uint8Array]>([
    [
      'chunks',
      'another text',
      () => forged({ chunks: parts().chunks.map((chunk) => ({ ...chunk, content: 'other' })) }),
    ],
    [
      'chunks',
      'a text the receipt does not name',
      () => forged({ chunks: parts().chunks.map((c) => ({ ...c, content: 'x', content_hash: blake3Digest('x') })) }),
    ],
    [
      'chunks',
      'another document',
      () => forged({ chunks: parts().chunks.map((chunk) => ({ ...chunk, doc_id: 'e' })) }),
    ],
    ['chunks', 'a text without a path', () => bound(null)],
    ['chunks', 'a path to a receipt that is not there', () => bound({ receipt_id: cited.chunk_id })],
    ['chunks', 'a path to a receipt of another kind', () => bound({ receipt_id: chain()[0]!.receiptId })],
    ['chunks', 'another place', () => bound({ index: 2 })],
    ['chunks', 'another span', () => bound({ end: 61 })],
    ['chunks', 'the path of another passage', () => bound({ path: tree.pathOf(0) })],
    ['chunks', 'a path cut short', () => bound({ path: binding.path.slice(1) })],
    [
      'chunks',
      'an acceptance of another text',
      () => signPack(parts([...chain(), ingest('ingest.accepted', { content_hash: blake3Digest('other') })]), key),
    ],
    ['receipts', 'another id', () => forged({ receipts: parts().receipts.map((r) => ({ ...r, receipt_id: 'x' })) })],
    ['receipts', 'another tenant', () => forged({ tenant_id: 'rival' })],
    ['receipts', 'no record', () => forged({ receipts: [], retrievals: [], chunks: [] })],
    ['inclusion', 'another leaf', () => forged({ receipts: parts().receipts.map((r) => ({ ...r, leaf_index: 5 })) })],
    [
      'inclusion',
      'a shortened path',
      () => forged({ retrievals: parts().retrievals.map((r) => ({ ...r, path: [] })) }),
    ],
    [
      'consistency',
      'a forked log',
      () => forged({ consistency: parts().consistency.map((c) => ({ ...c, path: [] })) }),
    ],
    ['chain', 'a wrong order', () => forged({ receipts: [...parts().receipts].reverse() })],
    ['chain', 'a broken link', () => signPack(parts([receipt(1, null), receipt(2, blake3Digest('fork'))]), key)],
    ['auth-mode', 'development mode', () => signPack(parts([receipt(1, null, { auth_mode: 'dev_scopes' })]), key)],
    ['signatures', 'an unknown key', () => signPack(parts([receipt(1, null, {}, SigningKey.generate())]), key)],
    [
      'signatures',
      'a time before its key',
      () => signPack(parts([receipt(1, null, { occurred_at: '2025-01-01T00:00:00.000Z' })]), key),
    ],
    ['seal', 'a seal by an unknown key', () => signPack(parts(), SigningKey.generate())],
    ['keys', 'a kid that is not its key', () => forged({ keys: parts().keys.map((jwk) => ({ ...jwk, kid: 'x' })) })],
    [
      'checkpoint',
      'an unsigned checkpoint',
      () => forged({ checkpoint: signCheckpoint(ORIGIN, { size: 9, root: blake3('') }, SigningKey.generate()) }),
    ],
  ])('names %s when it holds %s', (name, _what, make) => {
    const file = make();
    expect(firstFailure(file)).toEqual({ name, ok: false, detail: expect.stringMatching(/.+/) });
  });

  it('takes a text without a path where its receipt says that it is of another tenant, and only there', () => {
    const foreign = (...sources: string[]) => {
      const citations = sources.map((source) => ({ ...cited, source }));
      const pack = parts([receipt(1, null, { body: { citations } })]);
      return signPack({ ...pack, chunks: pack.chunks.map((chunk) => ({ ...chunk, binding: null })) }, key);
    };
    expect(firstFailure(foreign('commons'))).toBeUndefined();
    for (const file of [foreign('tenant'), foreign('commons', 'tenant')])
      expect(firstFailure(file)?.detail).toContain('no path leads from its text');
  });

  it('takes what was accepted and completed with one text, also by a local ingest', () => {
    const text = { content_hash: blake3Digest('document') };
    const local = ingest('local.ingested', { documents: [{ doc_id: 'd', version: 1, ...text }] });
    expect(firstFailure(signPack(parts([...chain(), ingest('ingest.accepted'), local]), key))).toBeUndefined();
    const other = ingest('local.ingested', { documents: [{ doc_id: 'd', version: 1, content_hash: text }] });
    expect(firstFailure(signPack(parts([...chain(), other]), key))?.name).toBe('chunks');
  });

  it('does not take a receipt for a seal, nor a seal for a receipt', () => {
    const pack = JSON.parse(Buffer.from(signPack(parts(), key)).toString()) as ProofPack;
    const { seal: _seal, ...contents } = pack;
    const wrong = signCose(key, RECEIPT_CONTENT_TYPE, canonicalJson(contents), true);
    const file = canonicalJson({ ...contents, seal: Buffer.from(wrong).toString('base64') });
    expect(firstFailure(file)).toEqual({ name: 'seal', ok: false, detail: 'the seal is not that of a proof pack' });
  });
});

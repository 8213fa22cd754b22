import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CborValue, decodeCanonical, encodeCanonical } from '../../../src/evidence/cbor.js';
import { parseCheckpoint, verifyCheckpoint } from '../../../src/evidence/checkpoint.js';
import { parseCose } from '../../../src/evidence/cose.js';
import { blake3, blake3Digest, digestBytes, namedDigest } from '../../../src/evidence/digest.js';
import { leafHash, verifyConsistency, verifyInclusion } from '../../../src/evidence/merkle.js';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { encodeRetrieval, openReceipt, signReceipt } from '../../../src/evidence/receipt.js';
import { noteKeyId, noteVerifierKey } from '../../../src/evidence/signed-note.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { appendLeaves, hashOfRange, TileSet, tilePath } from '../../../src/evidence/tiles.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { freshDatabase } from '../../kit/database.js';
import { recordRetrieval } from '../../kit/retrieval-receipt.js';
import { signCheckpoint } from '../../kit/signed-forms.js';
import { sampleEvent, openEvidence } from '../../medium/evidence/evidence-app.js';
import { packVector } from './pack-vector.js';
import { vectorTimestamps, writeTimestampVectors } from './timestamp-vectors.js';
import { isVector } from './vector-files.js';

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');
const SOUND = join(VECTORS, 'sound.svcpack');
const PROGRAM = join(import.meta.dirname, 'independent-verifier.mjs');
const read = (name: string): any => JSON.parse(readFileSync(join(VECTORS, name), 'utf8'));
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

/** Plain JavaScript without types, by path: the independent programs are no part of the build. */
const independent = (name: string): Promise<unknown> => import(/* @vite-ignore */ join(import.meta.dirname, name));
const { blake3: independentBlake3 } = (await independent('independent-blake3.mjs')) as {
  blake3(bytes: Uint8Array): Uint8Array;
};
const { decodeCbor } = (await independent('independent-cbor.mjs')) as { decodeCbor(bytes: Uint8Array): unknown };
const { judge } = (await independent('independent-verifier.mjs')) as {
  judge(file: Uint8Array, trustedKid?: string): { ok: boolean; failed: string | null; detail: string };
};

const keys = read('keys.json');
const key = SigningKey.fromPem(keys.pkcs8_pem);

describe('the test vectors of docs/formats hold for', () => {
  it('keys', () => {
    expect(hex(key.publicKey.bytes)).toBe(keys.public_key_hex);
    expect(key.publicKey.toJwk(new Date(keys.jwk.nbf * 1000), null)).toEqual(keys.jwk);
    expect(hex(noteKeyId('log.example/svc', key.publicKey.bytes))).toBe(keys.note_key_id_hex);
    expect(noteVerifierKey('log.example/svc', key.publicKey.bytes)).toBe(keys.note_verifier_key);
  });

  it('canonical CBOR, by the product and by the independent decoder', () => {
    const { valid, byte_strings, invalid } = read('cbor.json');
    for (const one of valid) {
      expect(hex(encodeCanonical(one.value as CborValue))).toBe(one.hex);
      expect(decodeCanonical(bytes(one.hex))).toEqual(one.value);
      expect(plain(decodeCbor(bytes(one.hex)))).toEqual(one.value);
    }
    for (const one of byte_strings) expect(hex(encodeCanonical(bytes(one.bytes_hex)))).toBe(one.hex);
    for (const one of invalid) {
      expect(() => decodeCanonical(bytes(one.hex)), one.why).toThrow();
      expect(() => decodeCbor(bytes(one.hex)), one.why).toThrow();
    }
  });

  it('BLAKE3, by the product and by the independent one', () => {
    for (const { length, hex: expected } of read('blake3.json').cases) {
      const input = Buffer.from(Array.from({ length }, (_, n) => n % 251));
      expect([hex(blake3(input)), hex(independentBlake3(input))]).toEqual([expected, expected]);
    }
  });

  it('receipts', () => {
    const { execution, retrieval } = read('receipts.json');
    for (const one of execution) {
      const sealed = signReceipt(one.fields, key);
      const cose = parseCose(sealed.cose);
      expect({
        fields: one.fields,
        payload_hex: hex(cose.payload ?? new Uint8Array()),
        payload_hash: sealed.payloadHash,
        body_hash: sealed.payload.body_hash,
        receipt_id: sealed.receiptId,
        protected_header_hex: hex(cose.protectedHeader),
        to_be_signed_hex: hex(
          encodeCanonical(['Signature1', cose.protectedHeader, new Uint8Array(0), cose.payload ?? null]),
        ),
        cose_hex: hex(sealed.cose),
      }).toEqual(one);
      expect(openReceipt(bytes(one.cose_hex)).payload).toEqual(sealed.payload);
    }
    expect(execution[1].fields.prev).toBe(execution[0].payload_hash);
    for (const one of retrieval) {
      const made = encodeRetrieval({ ...one.fields, nonce: bytes(one.fields.nonce) });
      expect([hex(made.bytes), made.receiptId]).toEqual([one.cbor_hex, one.receipt_id]);
    }
  });

  it('the log', () => {
    const log = read('log.json');
    const leaves = log.entries.map((one: any) => leafHash(Buffer.from(one.entry)));
    expect(leaves.map((leaf: Uint8Array) => namedDigest('sha256', leaf))).toEqual(
      log.entries.map((one: any) => one.leaf_hash),
    );
    const tiles = new TileSet();
    appendLeaves(0, leaves, tiles);
    const root = (size: number) => hashOfRange({ start: 0, end: size }, tiles);
    const path = (digests: string[]) => digests.map((digest) => digestBytes('sha256', digest));
    expect(log.roots.map((one: any) => namedDigest('sha256', root(one.size)))).toEqual(
      log.roots.map((one: any) => one.root),
    );
    expect(namedDigest('sha256', root(0))).toBe(log.empty_root);
    for (const one of log.inclusion) {
      expect(verifyInclusion(leaves[one.leaf_index], one.leaf_index, one.size, path(one.path), root(one.size))).toBe(
        true,
      );
    }
    for (const { from, to, path: proof } of log.consistency) {
      expect(verifyConsistency({ size: from, root: root(from) }, { size: to, root: root(to) }, path(proof))).toBe(true);
    }
    expect(signCheckpoint(log.origin, { size: 8, root: root(8) }, key)).toBe(log.checkpoint);
    expect(verifyCheckpoint(parseCheckpoint(log.checkpoint), key.publicKey)).toBe(true);
    for (const { level, index, width, path: expected } of log.paths) {
      expect(tilePath({ level, index }, width)).toBe(expected);
    }
  });

  it('the proof pack, as the product makes it of its records', () => {
    expect(isVector('sound.svcpack', packVector())).toBe(true);
    expect(isVector('batch.svcpack', packVector(undefined, true))).toBe(true);
  });

  it('the proof pack with timestamps, of the tokens that were made once', async () => {
    await writeTimestampVectors();
    expect(isVector('stamped.svcpack', packVector(vectorTimestamps()))).toBe(true);
  });

  it.each(['sound.svcpack', 'batch.svcpack', 'stamped.svcpack', 'v2/sound.svcpack', 'v1/sound.svcpack'])(
    'the proof pack %s',
    (name) => {
      const file = readFileSync(join(VECTORS, name));
      expect(verifyPack(file, [{ key: key.publicKey }]).ok).toBe(true);
      expect(judge(file, keys.jwk.kid)).toEqual({ ok: true, failed: null, detail: '' });
    },
  );
});

describe('the independent verifier', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-pack-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('refuses 1,000 random single-byte changes, and so does the product', () => {
    const file = readFileSync(SOUND);
    for (let round = 0; round < 1000; round++) {
      const changed = Uint8Array.from(file);
      const at = Math.floor(Math.random() * changed.length);
      changed[at] = ((changed[at] ?? 0) + 1 + Math.floor(Math.random() * 255)) % 256;
      expect([judge(changed).ok, verifyPack(changed).ok], `byte ${String(at)}`).toEqual([false, false]);
    }
  });

  it('verifies, as a program, a pack that the running module made', async () => {
    const database = await freshDatabase();
    const app = await openEvidence(database.url);
    const file = join(folder, 'made.svcpack');
    try {
      const content = 'Gepr\u00fcft wird, was da steht: "w\u00f6rtlich"\n\tund \u0001 \u{1f4dc}.';
      const cited = { chunk_id: 'c', content_hash: blake3Digest(content), corpus_id: 'k', doc_id: 'd', version: 2 };
      const made = await app.tenancy.run('acme', async () => {
        const { receiptId } = await recordRetrieval(app.evidence, 'acme', {
          actor: 'key:1',
          authMode: 'api_key',
          body: { results: [{ ...cited, source: 'commons', score: 3.75, weight: 0.1 }] },
        });
        const many = await app.evidence.recordMany(Array.from({ length: 700 }, (_, n) => sampleEvent(n)));
        return [receiptId, ...many.slice(300, 320).map((receipt) => receipt.receiptId)];
      });
      const pack = await app.tenancy.run('acme', () =>
        app.context.get(ProofPacks).make({
          subject: { type: 'answer', id: 'a' },
          receiptIds: made,
          chunks: [{ ...cited, content, receipt_id: made[0] ?? '' }],
        }),
      );
      writeFileSync(file, pack);
      const verdict = execFileSync(process.execPath, [PROGRAM, file, app.keys.active.kid], { encoding: 'utf8' });
      expect(JSON.parse(verdict)).toEqual({ ok: true, failed: null, detail: '' });
    } finally {
      await app.close();
      await database.drop();
    }
    const foreign = spawnSync(process.execPath, [PROGRAM, file, keys.jwk.kid], { encoding: 'utf8' });
    expect([foreign.status, JSON.parse(foreign.stdout).failed]).toEqual([1, 'keys']);
  });
});

/** Maps as objects, for comparing with JSON. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]));
}

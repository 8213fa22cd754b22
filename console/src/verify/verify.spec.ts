import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { blake3 } from './blake3.ts';
import { base64Of, bytesOfBase64, bytesOfHex, hexOf } from './bytes.ts';
import { decodeCanonical, encodeCanonical, plainOf } from './cbor.ts';
import { parsePinnedKey, type Jwk } from './keys.ts';
import { isSignedBy, leafOf, parseCheckpoint, rootOf } from './log.ts';
import { openMessage } from './receipt.ts';
import { verifyReceipt, type CheckName, type Evidence } from './verify.ts';

const VECTORS = join(import.meta.dirname, '..', '..', '..', 'docs', 'formats', 'vectors');
const vector = <T>(name: string): T => JSON.parse(readFileSync(join(VECTORS, name), 'utf8')) as T;

interface ReceiptVector {
  payload_hex: string;
  payload_hash: string;
  receipt_id: string;
  cose_hex: string;
}
interface ExportVector {
  disclosures: { path: unknown[]; value?: unknown; cbor?: string }[];
  log: { checkpoint: string; proofs: { leaf_index: number; path: string[] }[] };
  manifest: { tenant_id: string };
}
interface LogVector {
  entries: { text?: string; entry?: string; leaf_hash: string }[];
  roots: string[];
  checkpoint: string;
}

const keys = vector<{ jwk: Jwk; note_verifier_key: string }>('keys.json');
const { execution } = vector<{ execution: ReceiptVector[] }>('receipts.json');
const exported = vector<ExportVector>('export.json');

/** The first record of the vector of exports, as the daemon's routes would show it. */
async function soundEvidence(): Promise<Evidence> {
  const at = (name: string) => exported.disclosures.find(({ path }) => path.join() === `items,0,${name}`)!;
  const message = decodeCanonical(bytesOfBase64(at('cose').cbor!, 'cose'), 'cose') as Uint8Array;
  const { payload, protectedHeader, signature, kid } = openMessage(message);
  const payloadHash = `blake3:${hexOf(blake3(payload))}`;
  const receiptId = at('receipt_id').value as string;
  const members = {
    ...{ v: 1, kind: 'receipt.signature', receipt_id: receiptId, algorithm: 'EdDSA', curve: 'Ed25519', kid },
    ...{ protected: protectedHeader, signature, payload_hash: payloadHash },
  };
  const event = encodeCanonical(new Map(Object.entries(members)));
  const [{ leaf_index, path }] = exported.log.proofs as [{ leaf_index: number; path: string[] }];
  return {
    ...{ receiptId, tenant: exported.manifest.tenant_id, payload, signature: { value: event } },
    previous: { missing: 'not asked for' },
    next: { missing: 'none follows' },
    proof: { value: { leafIndex: leaf_index, path, checkpoint: exported.log.checkpoint } },
    ...{ exported: { value: message }, statements: [], served: [keys.jwk] },
  };
}

let sound: Evidence;
beforeAll(async () => {
  sound = await soundEvidence();
});

const stateOf = async (evidence: Evidence, name: CheckName) =>
  (await verifyReceipt(evidence)).checks.find((check) => check.name === name)!;

/** The same bytes but for one. */
function withOneByteChanged(bytes: Uint8Array, index: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[index]! ^= 1;
  return changed;
}

describe('the vectors of the formats', () => {
  test('BLAKE3', () => {
    const { cases } = vector<{ cases: { length: number; hex: string }[] }>('blake3.json');
    for (const { length, hex } of cases)
      expect(hexOf(blake3(Uint8Array.from({ length }, (_, index) => index % 251)))).toBe(hex);
  });

  test('CBOR: each value has one encoding, and nothing else is read', () => {
    const { valid, invalid } = vector<{ valid: { value: unknown; hex: string }[]; invalid: { hex: string }[] }>(
      'cbor.json',
    );
    for (const { value, hex } of valid) {
      const decoded = decodeCanonical(bytesOfHex(hex), hex);
      expect(plainOf(decoded)).toEqual(value);
      expect(hexOf(encodeCanonical(decoded))).toBe(hex);
    }
    for (const { hex } of invalid) expect(() => decodeCanonical(bytesOfHex(hex), hex)).toThrow();
  });

  test('CBOR: every number that a half keeps is a half', () => {
    const half = new DataView(new ArrayBuffer(2));
    const wrong: string[] = [];
    for (let bits = 0; bits < 2 ** 16; bits++) {
      half.setUint16(0, bits);
      const value = half.getFloat16(0);
      if (!Number.isFinite(value) || Number.isInteger(value)) continue;
      const encoded = hexOf(encodeCanonical(value));
      if (encoded !== `f9${bits.toString(16).padStart(4, '0')}`) wrong.push(encoded);
    }
    expect(wrong).toEqual([]);
  });

  test('receipts: the payload, its digest and the message fit each other', () => {
    for (const { cose_hex, payload_hex, payload_hash } of execution) {
      const { payload } = openMessage(bytesOfHex(cose_hex));
      expect(hexOf(payload)).toBe(payload_hex);
      expect(`blake3:${hexOf(blake3(payload))}`).toBe(payload_hash);
    }
  });

  test('the log: inclusion and the signed checkpoint', async () => {
    const log = vector<LogVector & { inclusion: { leaf_index: number; size: number; path: string[] }[] }>('log.json');
    const checkpoint = parseCheckpoint(log.checkpoint);
    const key = await parsePinnedKey(keys.note_verifier_key);
    expect(await isSignedBy(checkpoint, key.bytes)).toBe(true);
    const { entries, inclusion } = log;
    const whole = inclusion.filter(({ size }) => size === checkpoint.size);
    expect(whole.length).toBeGreaterThan(0);
    for (const { leaf_index, size, path } of whole) {
      const entry = entries[leaf_index]!;
      const bytes = new TextEncoder().encode(entry.entry ?? entry.text);
      expect(await rootOf(await leafOf(bytes), leaf_index, size, path)).toEqual(checkpoint.root);
    }
  });
});

describe('a receipt', () => {
  test('holds: the first of its stream has nothing before it', async () => {
    const { state, checks } = await verifyReceipt(sound);
    expect(checks.filter((check) => check.state === 'failed')).toEqual([]);
    expect(state).toBe('verified');
  });

  test('is bound to the key that the reader pinned, whatever the daemon serves', async () => {
    const pinned = await parsePinnedKey(keys.note_verifier_key);
    expect((await stateOf({ ...sound, served: [], pinned }, 'signature')).state).toBe('ok');
    const other = await parsePinnedKey('PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw');
    const verdict = await verifyReceipt({ ...sound, pinned: other });
    expect(verdict.state).toBe('failed');
    expect(verdict.checks.filter(({ state }) => state === 'failed').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['signature', 'key', 'checkpoint']),
    );
  });

  test('fails with every byte of it that is changed', async () => {
    for (let index = 0; index < sound.payload.length; index += 7) {
      const { state, checks } = await verifyReceipt({ ...sound, payload: withOneByteChanged(sound.payload, index) });
      expect(state).toBe('failed');
      expect(checks.find(({ name }) => name === 'id')!.state).toBe('failed');
    }
  });

  test('names the check that fails: signature, inclusion, checkpoint', async () => {
    const { value: event } = sound.signature as { value: Uint8Array };
    const at = event.length - 200;
    expect((await verifyReceipt({ ...sound, signature: { value: withOneByteChanged(event, at) } })).state).toBe(
      'failed',
    );
    const { value: proof } = sound.proof as { value: { leafIndex: number; path: string[]; checkpoint: string } };
    const moved = { ...sound, proof: { value: { ...proof, leafIndex: proof.leafIndex + 1 } } };
    expect((await stateOf(moved, 'inclusion')).state).toBe('failed');
    const [text, line] = proof.checkpoint.split('\u2014 ') as [string, string];
    const [name, signature] = line.trim().split(' ') as [string, string];
    const forged = base64Of(withOneByteChanged(bytesOfBase64(signature, 'signature'), 20));
    const checkpoint = `${text}\u2014 ${name} ${forged}\n`;
    const unsigned = { ...sound, proof: { value: { ...proof, checkpoint } } };
    expect((await stateOf(unsigned, 'checkpoint')).state).toBe('failed');
    expect((await stateOf(unsigned, 'inclusion')).state).toBe('ok');
  });
});

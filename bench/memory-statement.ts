import { randomBytes, randomUUID } from 'node:crypto';
import { canonicalJson } from '../src/evidence/canonical-json.js';
import type { CborMap } from '../src/evidence/cbor.js';
import { blake3, namedDigest, sha256Digest, type Digest } from '../src/evidence/digest.js';
import { encodeExportJson } from '../src/evidence/export/export-format.js';
import { SignedExport } from '../src/evidence/export/sign-export.js';
import { rootOfLeaves } from '../src/evidence/leaf-tree.js';
import { leafHash } from '../src/evidence/merkle.js';
import { signReceipt } from '../src/evidence/receipt.js';
import { SigningKey } from '../src/evidence/signing-key.js';

/** Whose statement it is: the bench has no tenant. */
const TENANT = 'bench';
const KEY_AGE_MS = 60_000;

/** Root of a Merkle tree (RFC 6962, SHA-256) over the canonical JSON of each output, in their order. */
export const outputsRoot = (outputs: readonly object[]): Digest =>
  namedDigest('sha256', rootOfLeaves(outputs.map((output) => leafHash(canonicalJson(output)))));

/** SHA-256 over the canonical JSON of names and digests of the files. */
export const datasetDigest = (files: readonly { name: string; bytes: Uint8Array }[]): Digest =>
  sha256Digest(canonicalJson(files.map(({ name, bytes }) => ({ name, digest: sha256Digest(bytes) }))));

/** A report as a receipt, in an export that `svc verify` checks (docs/formats/export.md), and the key to pin. */
export async function signReport(body: CborMap, pem?: string): Promise<{ file: Uint8Array; jwk: object }> {
  const key = pem === undefined ? SigningKey.generate() : SigningKey.fromPem(pem);
  const now = new Date();
  const jwk = key.publicKey.toJwk(new Date(now.getTime() - KEY_AGE_MS), null);
  const run = randomUUID();
  const about = { tenant_id: TENANT, actor: 'operator', auth_mode: 'cli', occurred_at: now.toISOString() };
  const place = { kind: 'bench.memory', stream: 'bench', seq: 1, prev: null, subject: run };
  const { cose, receiptId, payloadHash, payload } = signReceipt({ ...about, ...place, body }, key);
  const value = { cose, receipt_id: receiptId, payload_hash: payloadHash, payload: { ...payload } };
  const items = [{ type: 'receipt', record: namedDigest('blake3', blake3(cose)), value }];
  const draft = { tenantId: TENANT, subject: 'action', subjectId: run, mode: 'audit', complete: true } as const;
  const signer = { active: key, keys: [jwk], statements: [] };
  const signed = await SignedExport.sign({ ...draft, authModes: ['cli'], items }, randomBytes(32), signer);
  return { file: encodeExportJson(signed.show(() => true, null)), jwk };
}

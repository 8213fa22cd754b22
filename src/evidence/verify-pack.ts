import type { X509Certificate } from 'node:crypto';
import { provesNothing } from './auth-modes.js';
import type { CborMap } from './cbor.js';
import type { Checkpoint } from './checkpoint.js';
import { parseCose, verifyCose } from './cose.js';
import { bindingFault, namesOf, passageOf } from './content-bindings.js';
import { blake3, blake3Digest, digestBytes } from './digest.js';
import type { OpenEpoch } from './log-epoch.js';
import { openFileCheckpoint } from './file-checkpoint.js';
import { checkTimestamps } from './file-timestamps.js';
import { type RecordType, logLeafHash } from './log-entry.js';
import { verifyConsistency, verifyInclusion } from './merkle.js';
import {
  type LogPosition,
  PACK_CONTENT_TYPE,
  PACK_FORMAT_V1,
  type PackContents,
  type ProofPack,
  readPack,
  sealedBytes,
} from './pack-format.js';
import {
  describeKeys,
  expectLogName,
  expectTerm,
  type FileKeys,
  logKeysOf,
  readFileKeys,
  type TrustedKey,
} from './file-keys.js';
import { openReceipt, openRetrieval, type RetrievalPayload, type SignedReceipt } from './receipt.js';
import { type VerificationCheck, checkBy, failedCheck } from './verification-check.js';
import { describeConsistency, describeEpoch, expectPrevious, verifyEpoch } from './verify-epoch.js';

/** What every step came to, whatever those before it did; of a file that cannot be read the step `format` alone. */
export interface Verdict {
  readonly ok: boolean;
  /** In the order of verification: the first that is not ok is what failed. */
  readonly checks: readonly VerificationCheck[];
}

type OpenedReceipt = SignedReceipt & { readonly kid: string };

/** What earlier checks established, for the later ones. */
interface Opened {
  readonly pack: ProofPack;
  readonly trusted: readonly TrustedKey[] | undefined;
  readonly authorities: readonly X509Certificate[] | undefined;
  keys: FileKeys;
  readonly receipts: OpenedReceipt[];
  readonly retrievals: { receiptId: string; payload: RetrievalPayload }[];
  checkpoint: Checkpoint | undefined;
  epoch: OpenEpoch | undefined;
}

/** Each step throws with what is wrong, or returns what was found right. Their names are part of the format. */
const STEPS: readonly (readonly [string, (opened: Opened) => string])[] = [
  ['keys', checkKeys],
  ['receipts', checkReceipts],
  ['signatures', checkSignatures],
  ['chain', checkChain],
  ['retrievals', checkRetrievals],
  ['chunks', checkChunks],
  ['checkpoint', checkCheckpoint],
  ['inclusion', checkInclusion],
  ['epoch', checkEpoch],
  ['consistency', checkConsistency],
  ['auth-mode', checkAuthMode],
  ['seal', checkSeal],
  ['timestamps', checkStamps],
];

/**
 * Verifies a proof pack from its own bytes, and the trusted keys when some are given; reads nothing else. Without
 * trusted keys the pack's own are used, which shows that it is whole but not who made it: the `keys` check says so.
 */
export function verifyPack(
  file: Uint8Array,
  trusted?: readonly TrustedKey[],
  authorities?: readonly X509Certificate[],
): Verdict {
  let pack: ProofPack;
  try {
    pack = readPack(file);
  } catch (error) {
    return { ok: false, checks: [failedCheck('format', error)] };
  }
  const opened: Opened = {
    pack,
    trusted,
    authorities,
    keys: new Map(),
    receipts: [],
    retrievals: [],
    checkpoint: undefined,
    epoch: undefined,
  };
  const checks = STEPS.map(([name, step]) => checkBy(name, () => step(opened)));
  checks.unshift({ name: 'format', ok: true, detail: `${pack.format}, ${String(file.length)} bytes, canonical` });
  return { ok: checks.every((check) => check.ok), checks };
}

function checkKeys(opened: Opened): string {
  opened.keys = readFileKeys(opened.pack, opened.trusted);
  return describeKeys(opened.keys, opened.trusted);
}

function checkReceipts({ pack, receipts }: Opened): string {
  if (pack.receipts.length + pack.retrievals.length === 0) throw new Error('the pack holds no receipt');
  for (const item of pack.receipts) {
    const receipt = naming(item.receipt_id, () => openReceipt(fromBase64(item.cose)));
    if (receipt.receiptId !== item.receipt_id) {
      throw new Error(`receipt ${item.receipt_id}: its payload makes the id ${receipt.receiptId}`);
    }
    expectTenant(receipt.payload.tenant_id, pack, item.receipt_id);
    receipts.push(receipt);
  }
  return `${count(receipts.length, 'execution receipt')}: ${[...new Set(receipts.map((r) => r.payload.kind))].join(', ')}`;
}

function checkSignatures({ receipts, keys }: Opened): string {
  for (const receipt of receipts) {
    const known = keys.get(receipt.kid);
    if (known === undefined) throw new Error(`receipt ${receipt.receiptId}: key ${receipt.kid} is not in the pack`);
    if (!verifyCose(parseCose(receipt.cose), known.key)) {
      throw new Error(`receipt ${receipt.receiptId}: the signature does not hold`);
    }
    expectTerm(known, 'receipts', receipt.payload.occurred_at, `receipt ${receipt.receiptId}`);
  }
  return `${count(receipts.length, 'signature')} (Ed25519) hold`;
}

function checkChain({ receipts }: Opened): string {
  const last = new Map<string, OpenedReceipt>();
  let links = 0;
  for (const receipt of receipts) {
    const { stream, seq, prev } = receipt.payload;
    const before = last.get(stream);
    if (before !== undefined && before.payload.seq >= seq) {
      throw new Error(`receipt ${receipt.receiptId}: stream ${stream} is not in ascending order of seq`);
    }
    if (before?.payload.seq === seq - 1) {
      if (prev !== before.payloadHash)
        throw new Error(`receipt ${receipt.receiptId}: prev is not the receipt before it`);
      links++;
    }
    last.set(stream, receipt);
  }
  return `${count(last.size, 'stream')}, ${count(links, 'link')} between neighbours hold`;
}

function checkRetrievals({ pack, retrievals }: Opened): string {
  for (const item of pack.retrievals) {
    const opened = naming(item.receipt_id, () => openRetrieval(fromBase64(item.cbor)));
    if (opened.receiptId !== item.receipt_id) {
      throw new Error(`retrieval ${item.receipt_id}: its bytes make the id ${opened.receiptId}`);
    }
    expectTenant(opened.payload.tenant_id, pack, item.receipt_id);
    retrievals.push(opened);
  }
  return `${count(retrievals.length, 'retrieval receipt')}`;
}

function checkChunks({ pack, receipts, retrievals }: Opened): string {
  const bodies = new Map<string, CborMap>();
  for (const receipt of receipts) bodies.set(receipt.receiptId, receipt.payload.body);
  for (const retrieval of retrievals) bodies.set(retrieval.receiptId, retrieval.payload.body);
  for (const chunk of pack.chunks) {
    if (blake3Digest(chunk.content) !== chunk.content_hash) {
      throw new Error(`chunk ${chunk.chunk_id}: content_hash is not the digest of its content`);
    }
    const body = bodies.get(chunk.receipt_id);
    if (body === undefined) throw new Error(`chunk ${chunk.chunk_id}: receipt ${chunk.receipt_id} is not in the pack`);
    const passage = passageOf(chunk);
    const names = namesOf(body, passage);
    if (names.length === 0) {
      throw new Error(`chunk ${chunk.chunk_id}: receipt ${chunk.receipt_id} does not name it with this content`);
    }
    const fault = pack.format === PACK_FORMAT_V1 ? undefined : bindingFault(passage, names, receipts);
    if (fault !== undefined) throw new Error(`chunk ${chunk.chunk_id}: ${fault}`);
  }
  const bound = pack.chunks.filter(({ binding }) => binding).length;
  const paths = bound > 0 ? `; ${count(bound, 'path leads', 'paths lead')} to the receipts of their ingest` : '';
  return `${count(pack.chunks.length, 'chunk')}: texts match the digests that the receipts name${paths}`;
}

function checkCheckpoint(opened: Opened): string {
  opened.checkpoint = signedCheckpoint(opened, opened.pack.checkpoint);
  expectLogName(opened.checkpoint.origin, opened.trusted);
  return `${opened.checkpoint.origin}, ${count(opened.checkpoint.size, 'leaf', 'leaves')}`;
}

function checkInclusion({ pack, checkpoint }: Opened): string {
  if (checkpoint === undefined) throw new Error('there is no good checkpoint to check against');
  for (const item of pack.receipts) expectIncluded('execution', fromBase64(item.cose), item, checkpoint);
  for (const item of pack.retrievals) expectIncluded('retrieval', fromBase64(item.cbor), item, checkpoint);
  return `${count(pack.receipts.length + pack.retrievals.length, 'record')} in the log`;
}

function expectIncluded(
  type: RecordType,
  record: Uint8Array,
  item: LogPosition & { receipt_id: string },
  head: Checkpoint,
): void {
  const path = item.path.map((digest) => digestBytes('sha256', digest));
  if (!verifyInclusion(logLeafHash(type, blake3(record)), item.leaf_index, head.size, path, head.root)) {
    throw new Error(`receipt ${item.receipt_id}: the inclusion proof does not lead to the checkpoint`);
  }
}

function checkEpoch(opened: Opened): string {
  opened.epoch = verifyEpoch(opened.pack.epoch, opened.checkpoint, opened.keys);
  return describeEpoch(opened.epoch);
}

function checkConsistency(opened: Opened): string {
  const { pack, checkpoint, epoch } = opened;
  if (checkpoint === undefined) throw new Error('there is no good checkpoint to check against');
  let previous = 0;
  for (const item of pack.consistency) {
    const earlier = signedCheckpoint(opened, item.checkpoint);
    const path = item.path.map((digest) => digestBytes('sha256', digest));
    if (earlier.origin !== checkpoint.origin) {
      expectPrevious(earlier, checkpoint.origin, epoch, path);
      previous++;
    } else if (!verifyConsistency(earlier, checkpoint, path)) {
      throw new Error(
        `the checkpoint of ${count(earlier.size, 'leaf', 'leaves')} is not extended by the pack's checkpoint`,
      );
    }
  }
  return describeConsistency(pack.consistency.length - previous, previous);
}

function checkAuthMode({ receipts, retrievals }: Opened): string {
  const modes = new Set([...receipts, ...retrievals].map((record) => record.payload.auth_mode));
  const development = [...modes].find(provesNothing);
  if (development !== undefined) throw new Error(`made under authentication mode ${development}, which proves nothing`);
  return [...modes].join(', ');
}

function checkSeal({ pack, keys }: Opened): string {
  const seal = parseCose(fromBase64(pack.seal));
  const known = keys.get(seal.kid);
  if (seal.contentType !== PACK_CONTENT_TYPE || seal.payload !== null)
    throw new Error('the seal is not that of a proof pack');
  if (known === undefined) throw new Error(`the seal's key ${seal.kid} is not in the pack`);
  expectTerm(known, 'exports', pack.made_at, 'the seal');
  if (!verifyCose(seal, known.key, sealedBytes(withoutSeal(pack)))) {
    throw new Error('the seal does not hold: some byte of the pack was changed');
  }
  return `made ${pack.made_at}, nothing changed since`;
}

function checkStamps({ pack, keys, checkpoint, authorities }: Opened): string {
  if (checkpoint === undefined) throw new Error('there is no good checkpoint to check against');
  const checkpoints = [pack.checkpoint, ...pack.consistency.map((earlier) => earlier.checkpoint)];
  const leaves = [...pack.receipts, ...pack.retrievals].map(({ leaf_index }) => leaf_index);
  return checkTimestamps({ timestamps: pack.timestamps ?? [], checkpoints, keys, leaves }, authorities);
}

function withoutSeal(pack: ProofPack): PackContents {
  return Object.fromEntries(Object.entries(pack).filter(([name]) => name !== 'seal')) as unknown as PackContents;
}

function signedCheckpoint({ keys }: Opened, text: string): Checkpoint {
  return openFileCheckpoint(text, logKeysOf(keys));
}

function expectTenant(tenantId: string, pack: ProofPack, receiptId: string): void {
  if (tenantId !== pack.tenant_id) throw new Error(`receipt ${receiptId} is not of tenant ${pack.tenant_id}`);
}

function naming<T>(receiptId: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`receipt ${receiptId}: ${error instanceof Error ? error.message : 'unreadable'}`, { cause: error });
  }
}

function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}

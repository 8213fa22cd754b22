import { provesNothing } from '../auth-modes.js';
import { type CborValue, encodeCanonical } from '../cbor.js';
import type { Checkpoint } from '../checkpoint.js';
import { parseCose, verifyCose } from '../cose.js';
import { blake3, digestBytes, namedDigest } from '../digest.js';
import { openFileCheckpoint } from '../file-checkpoint.js';
import { checkTimestamps } from '../file-timestamps.js';
import { logLeafHash } from '../log-entry.js';
import { verifyConsistency, verifyInclusion } from '../merkle.js';
import { openReceipt, openRetrieval } from '../receipt.js';
import { describeConsistency, describeEpoch, expectPrevious, verifyEpoch } from '../verify-epoch.js';
import { describeKeys, expectLogName, expectTerm, logKeysOf, readFileKeys } from '../file-keys.js';
import { type VerificationCheck, checkBy } from '../verification-check.js';
import { checkContents } from './export-contents.js';
import { FieldTree, fieldDigest, isField } from './export-fields.js';
import { type ExportFile, MANIFEST_CONTENT_TYPE, manifestBytes } from './export-format.js';
import type { Acceptance, OpenExport, OpenItem } from './open-export.js';

/** Each step throws with what is wrong, or returns what was found right. Their names are part of the format. */
const STEPS: readonly (readonly [string, (opened: OpenExport) => string])[] = [
  ['keys', checkKeys],
  ['signature', checkSignature],
  ['disclosures', checkDisclosures],
  ['records', checkRecords],
  ['signatures', checkSignatures],
  ['chain', checkChain],
  ['contents', checkContents],
  ['checkpoint', checkCheckpoint],
  ['inclusion', checkInclusion],
  ['epoch', checkEpoch],
  ['consistency', checkConsistency],
  ['auth-mode', checkAuthMode],
  ['timestamps', checkStamps],
];

/**
 * Verifies an export from its own contents, and the trusted keys when some are given; reads nothing else. Its form was
 * checked when it was decoded.
 */
export function verifyExport(
  file: ExportFile,
  acceptance: Acceptance,
): { checks: VerificationCheck[]; subjectId: string | null } {
  const items = file.manifest.items.map((item, index) => ({ ...item, index, shown: new FieldTree() }));
  const found = { checkpoint: undefined, epoch: undefined };
  const opened = { file, acceptance, keys: new Map(), items, shown: new FieldTree(), ...found };
  const checks = STEPS.map(([name, step]) => checkBy(name, () => step(opened)));
  return { checks, subjectId: opened.shown.text('subject_id') ?? null };
}

function checkKeys(opened: OpenExport): string {
  const { file, acceptance } = opened;
  opened.keys = readFileKeys(file.manifest, acceptance.trusted);
  return describeKeys(opened.keys, acceptance.trusted);
}

function checkSignature({ file, keys }: OpenExport): string {
  const message = parseCose(file.signature);
  const known = keys.get(message.kid);
  if (message.contentType !== MANIFEST_CONTENT_TYPE || message.payload !== null)
    throw new Error('the signature is not that of a manifest');
  if (known === undefined) throw new Error(`the key ${message.kid} of the signature is not in the manifest`);
  if (!known.terms.has('exports')) throw new Error(`the key ${message.kid} does not sign exports`);
  if (!verifyCose(message, known.key, manifestBytes(file.manifest)))
    throw new Error('the signature does not hold: some byte of the manifest was changed');
  return `Ed25519 over the manifest, key ${message.kid}`;
}

/**
 * Every disclosure has its digest in the manifest, in the place that its path says, and they stand in the manifest's
 * order.
 */
function checkDisclosures({ file: { manifest, disclosures }, items, shown }: OpenExport): string {
  const places = new Map<string, { order: number; item: number | null }>();
  let order = 0;
  for (const digest of manifest.fields) places.set(digest, { order: order++, item: null });
  for (const item of items) for (const digest of item.fields) places.set(digest, { order: order++, item: item.index });
  if (places.size !== order) throw new Error('a digest stands in the manifest twice');
  let last = -1;
  for (const disclosure of disclosures) {
    const { path, value } = disclosure;
    if (!isField(value)) throw new Error(`${nameOf(path)}: its members are fields of their own`);
    const place = places.get(fieldDigest(disclosure));
    if (!place) throw new Error(`${nameOf(path)}: its digest is not in the manifest`);
    if (place.order <= last) throw new Error(`${nameOf(path)} is shown out of order`);
    last = place.order;
    const [first, index, ...rest] = path;
    const owner = first === 'items' ? index : null;
    if (owner !== place.item || path.length === 0) throw new Error(`${nameOf(path)} belongs to another item`);
    if (place.item === null) shown.put(path, value);
    else items[place.item]!.shown.put(rest, value);
  }
  const withheld = order - disclosures.length;
  return `${disclosures.length} of ${order} fields shown${withheld > 0 ? `, ${withheld} withheld` : ''}; all are what was signed`;
}

const nameOf = (path: readonly (string | number)[]): string => path.join('.') || 'a field without a path';

/** A record that is shown whole is the one that the manifest names, and the fields shown with it are its own. */
function checkRecords({ file: { manifest }, items }: OpenExport): string {
  const modes = new Set<string>();
  let whole = 0;
  for (const item of items) {
    const { type, record, shown } = item;
    if ((record !== null) !== (type === 'receipt' || type === 'retrieval'))
      throw new Error(`item ${item.index}: only receipts and retrievals are records`);
    // The payload of an event is the writer's own: an auth_mode in it is none of a record.
    const mode = record === null ? undefined : shown.text('payload', 'auth_mode');
    if (mode !== undefined) modes.add(mode);
    if (openRecord(item, manifest.tenant_id)) whole++;
  }
  const foreign = [...modes].find((mode) => !manifest.auth_modes.includes(mode));
  if (foreign !== undefined) throw new Error(`a record has the auth_mode ${foreign}, which the manifest does not name`);
  const records = items.filter(({ record }) => record !== null).length;
  const rest = records - whole;
  return `${whole} shown whole${rest > 0 ? `; ${rest} rest on the signature of the manifest alone` : ''}`;
}

function recordOf({ type, shown, index }: OpenItem): Uint8Array | undefined {
  if (type !== 'receipt' && type !== 'retrieval') return undefined;
  const record = shown.at(type === 'receipt' ? 'cose' : 'cbor');
  const bytes = record?.bytes();
  if (record !== undefined && bytes === undefined) throw new Error(`item ${index}: its record is not a byte string`);
  return bytes;
}

/** @returns whether the record is shown whole */
function openRecord(item: OpenItem, tenantId: string): boolean {
  const { type, record, shown, index } = item;
  const bytes = recordOf(item);
  if (bytes === undefined) return false;
  if (namedDigest('blake3', blake3(bytes)) !== record)
    throw new Error(`item ${index} is not the record it is said to be`);
  const opened = type === 'receipt' ? (item.receipt = openReceipt(bytes)) : openRetrieval(bytes);
  if (opened.payload.tenant_id !== tenantId) throw new Error(`item ${index} is not of tenant ${tenantId}`);
  const payload = shown.at('payload')?.whole();
  const same = payload !== undefined && sameValue(payload, { ...opened.payload });
  if (!same) throw new Error(`item ${index}: its fields are not those of the record`);
  const named = [
    ['receipt_id', opened.receiptId],
    ['payload_hash', item.receipt?.payloadHash ?? opened.receiptId],
  ] as const;
  for (const [name, expected] of named)
    if (shown.at(name) !== undefined && shown.text(name) !== expected)
      throw new Error(`item ${index}: ${name} is not that of the record`);
  return true;
}

const sameValue = (a: CborValue, b: CborValue): boolean => Buffer.compare(encodeCanonical(a), encodeCanonical(b)) === 0;

function checkSignatures({ items, keys }: OpenExport): string {
  let held = 0;
  for (const { index, receipt } of items) {
    if (!receipt) continue;
    const known = keys.get(receipt.kid);
    if (known === undefined) throw new Error(`item ${index}: key ${receipt.kid} is not in the manifest`);
    if (!verifyCose(parseCose(receipt.cose), known.key)) throw new Error(`item ${index}: the signature does not hold`);
    expectTerm(known, 'receipts', receipt.payload.occurred_at, `item ${index}`);
    held++;
  }
  return `${held} of execution receipts hold`;
}

/** Receipts of one stream ascend, and neighbours name each other, as far as they are shown. */
function checkChain({ items }: OpenExport): string {
  const last = new Map<string, { seq: number; hash: string | undefined }>();
  let links = 0;
  for (const { type, shown, index } of items) {
    const stream = shown.text('payload', 'stream');
    const seq = shown.number('payload', 'seq');
    if (type !== 'receipt' || stream === undefined || seq === undefined) continue;
    const before = last.get(stream);
    if (before !== undefined && before.seq >= seq) throw new Error(`item ${index}: stream ${stream} does not ascend`);
    const prev = shown.text('payload', 'prev');
    if (before?.seq === seq - 1 && before.hash !== undefined && prev !== undefined) {
      if (prev !== before.hash) throw new Error(`item ${index}: prev is not the receipt before it`);
      links++;
    }
    last.set(stream, { seq, hash: shown.text('payload_hash') });
  }
  return `${links} links between neighbours of ${last.size} streams hold`;
}

const WITHOUT_LOG = 'left out of this export: whether the log has these records is not shown';

function checkCheckpoint(opened: OpenExport): string {
  const { log } = opened.file;
  if (log === null) return WITHOUT_LOG;
  opened.checkpoint = signedCheckpoint(opened, log.checkpoint);
  expectLogName(opened.checkpoint.origin, opened.acceptance.trusted);
  return `${opened.checkpoint.origin}, ${opened.checkpoint.size} leaves`;
}

function checkInclusion({ file: { log }, items, checkpoint }: OpenExport): string {
  if (log === null) return WITHOUT_LOG;
  if (checkpoint === undefined) throw new Error('there is no good checkpoint to check against');
  const records = items.filter(({ record }) => record !== null);
  if (records.length !== log.proofs.length) throw new Error('there must be one proof for each record');
  records.forEach(({ type, record, index }, n) => {
    const { leaf_index, path } = log.proofs[n]!;
    const hashes = path.map((digest) => digestBytes('sha256', digest));
    const leaf = logLeafHash(type === 'receipt' ? 'execution' : 'retrieval', digestBytes('blake3', record!));
    if (!verifyInclusion(leaf, leaf_index, checkpoint.size, hashes, checkpoint.root))
      throw new Error(`item ${index}: the inclusion proof does not lead to the checkpoint`);
  });
  return `${records.length} records in the log`;
}

function checkEpoch(opened: OpenExport): string {
  const { log } = opened.file;
  if (log === null) return WITHOUT_LOG;
  opened.epoch = verifyEpoch(log.epoch, opened.checkpoint, opened.keys);
  return describeEpoch(opened.epoch);
}

function checkConsistency(opened: OpenExport): string {
  const { log } = opened.file;
  const { checkpoint, epoch } = opened;
  if (log === null) return WITHOUT_LOG;
  if (checkpoint === undefined) throw new Error('there is no good checkpoint to check against');
  let previous = 0;
  for (const { checkpoint: text, path } of log.consistency) {
    const earlier = signedCheckpoint(opened, text);
    const hashes = path.map((digest) => digestBytes('sha256', digest));
    if (earlier.origin !== checkpoint.origin) {
      expectPrevious(earlier, checkpoint.origin, epoch, hashes);
      previous++;
    } else if (!verifyConsistency(earlier, checkpoint, hashes))
      throw new Error(`the checkpoint of ${earlier.size} leaves is not extended by that of the export`);
  }
  return describeConsistency(log.consistency.length - previous, previous);
}

const signedCheckpoint = ({ keys }: OpenExport, text: string): Checkpoint => openFileCheckpoint(text, logKeysOf(keys));

function checkAuthMode({ file: { manifest }, acceptance }: OpenExport): string {
  const { auth_modes: modes } = manifest;
  const development = modes.find(provesNothing);
  const found = modes.join(', ') || 'no records';
  if (development === undefined) return found;
  if (acceptance.development) return `${found}: NO PROOF of who acted; taken as asked`;
  throw new Error(`made under authentication mode ${development}, which proves nothing`);
}

function checkStamps({ file: { log }, keys, checkpoint, acceptance }: OpenExport): string {
  const { authorities } = acceptance;
  if (log === null && authorities) throw new Error('the export carries no checkpoint: ask for it with include=proofs');
  if (log === null) return WITHOUT_LOG;
  if (checkpoint === undefined) throw new Error('there is no good checkpoint to check against');
  const checkpoints = [log.checkpoint, ...log.consistency.map((earlier) => earlier.checkpoint)];
  const leaves = log.proofs.map(({ leaf_index }) => leaf_index);
  return checkTimestamps({ timestamps: log.timestamps ?? [], checkpoints, keys, leaves }, authorities);
}

import { base64 } from '../base64.js';
import { canonicalJson, isRecord } from '../canonical-json.js';
import { type CborValue, decodeCanonical, encodeCanonical } from '../cbor.js';
import type { Digest } from '../digest.js';
import { type FileTimestamp, TIMESTAMPS } from '../file-timestamps.js';
import { EPOCH, type EpochRecord, STATEMENTS } from '../pack-format.js';
import { BLAKE3, checkShape, constant, COUNT, JWK, oneOf, orNull, SHA256, type Shape, TEXT } from '../shape.js';
import type { PublicJwk } from '../signing-key.js';

/** What is written. */
export const EXPORT_FORMAT = 'svc-export-v2';
/** What was written before, and is still verified. */
export const EXPORT_FORMAT_V1 = 'svc-export-v1';
/** Of the protected header over the manifest. */
export const MANIFEST_CONTENT_TYPE = 'application/vnd.svc.export-manifest+cbor';
export const SALT_BYTES = 16;

/** Where a field stands: names of members and indices of lists, from the top. `["items", 0, "payload", "actor"]`. */
export type FieldPath = readonly (string | number)[];

/** One thing that the export is about: digests of its fields, in their order. */
export interface ManifestItem {
  /** `receipt` and `retrieval` are records of the log; others are further data of the server. */
  readonly type: string;
  /** BLAKE3 of the record as the log has it; null of what is no record. */
  readonly record: Digest | null;
  readonly fields: readonly Digest[];
}

/** What is signed: the same for every export of one subject in one state, whatever it shows. */
export interface ExportManifest {
  readonly v: 1 | 2;
  readonly tenant_id: string;
  /** `receipt`, `answer`, `action`, `stream` or (not in version 1) `entity`; which one is a field. */
  readonly subject: string;
  readonly mode: string;
  /** False when the server has more of the subject than this. */
  readonly complete: boolean;
  /** Of all its records, in ascending order. Never withheld: a mode that is `off` or starts with `dev` is no proof. */
  readonly auth_modes: readonly string[];
  readonly fields: readonly Digest[];
  readonly items: readonly ManifestItem[];
  readonly keys: readonly PublicJwk[];
  /** Receipts of the server by which its first key names the others: COSE_Sign1, base64. Not in version 1. */
  readonly statements?: readonly string[];
}

/** A field that is shown: its digest, BLAKE3 over the canonical CBOR of [salt, path, value], is in the manifest. */
export interface Disclosure {
  readonly path: FieldPath;
  readonly salt: Uint8Array;
  readonly value: CborValue;
}

interface LogProofOf {
  readonly leaf_index: number;
  readonly path: readonly Digest[];
}
/** The checkpoint, and what leads to it: a proof for each item that is a record, in their order. */
export interface ExportLog {
  readonly checkpoint: string;
  readonly consistency: readonly { readonly checkpoint: string; readonly path: readonly Digest[] }[];
  /** How the log began. Null where its first leaf is of an older version. Not in version 1. */
  readonly epoch?: EpochRecord | null;
  readonly proofs: readonly LogProofOf[];
  /** Of checkpoints that are here, by time-stamping authorities. Not in version 1. */
  readonly timestamps?: readonly FileTimestamp[];
}

/** An export whatever its encoding. docs/formats/export.md. */
export interface ExportFile {
  readonly format: typeof EXPORT_FORMAT | typeof EXPORT_FORMAT_V1;
  readonly manifest: ExportManifest;
  /** COSE_Sign1 with detached payload: the canonical CBOR of the manifest. */
  readonly signature: Uint8Array;
  /** In the order in which the manifest has their digests. */
  readonly disclosures: readonly Disclosure[];
  /** Null when it was asked for without proofs. */
  readonly log: ExportLog | null;
}

const BYTES: Shape = { is: 'a byte string', test: (value) => value instanceof Uint8Array };
const SALT: Shape = { is: '16 bytes', test: (value) => value instanceof Uint8Array && value.length === SALT_BYTES };
const ANY: Shape = { is: 'a value', test: (value) => value !== undefined };
const STEP: Shape = {
  is: 'text or a whole number',
  test: (value) => typeof value === 'string' || (Number.isSafeInteger(value) && (value as number) >= 0),
};
const FLAG: Shape = { is: 'true or false', test: (value) => typeof value === 'boolean' };
const ASCENDING: Shape = {
  is: 'a list of texts in ascending order, each once',
  test: (value) =>
    Array.isArray(value) &&
    value.every((text, n) => typeof text === 'string' && (n === 0 || (value as string[])[n - 1]! < text)),
};
const version = (of: number): Shape => ({ is: String(of), test: (value) => value === of });
type Members = Readonly<Record<string, Shape>>;
const LOG_V1: Members = {
  checkpoint: TEXT,
  consistency: [{ members: { checkpoint: TEXT, path: [SHA256] } }],
  proofs: [{ members: { leaf_index: COUNT, path: [SHA256] } }],
};
const LOG: Members = { ...LOG_V1, epoch: EPOCH, timestamps: TIMESTAMPS };
const MANIFEST_V1: Members = {
  auth_modes: ASCENDING,
  complete: FLAG,
  fields: [BLAKE3],
  items: [{ members: { fields: [BLAKE3], record: orNull(BLAKE3), type: TEXT } }],
  keys: [JWK],
  mode: oneOf('latest', 'verified', 'audit'),
  subject: oneOf('receipt', 'answer', 'action', 'stream'),
  tenant_id: TEXT,
  v: version(1),
};
const MANIFEST: Members = {
  ...MANIFEST_V1,
  statements: STATEMENTS,
  subject: oneOf('receipt', 'answer', 'action', 'stream', 'entity'),
  v: version(2),
};
const shapeOf = (format: string, log: Members, manifest: Members): Shape => ({
  members: {
    disclosures: [{ members: { path: [STEP], salt: SALT, value: ANY } }],
    format: constant(format),
    log: orNull({ members: log }),
    manifest: { members: manifest },
    signature: BYTES,
  },
});
const EXPORT_V1 = shapeOf(EXPORT_FORMAT_V1, LOG_V1, MANIFEST_V1);
const EXPORT = shapeOf(EXPORT_FORMAT, LOG, MANIFEST);

/** @throws Error saying which member is not as the format has it */
export function asExport(value: unknown): ExportFile {
  checkShape(value, isRecord(value) && value.format === EXPORT_FORMAT_V1 ? EXPORT_V1 : EXPORT, 'export');
  const { subject, mode } = (value as ExportFile).manifest;
  if (['receipt', 'stream', 'entity'].includes(subject) && mode !== 'latest')
    throw new Error(`export.manifest.mode must be latest where the subject is ${subject}`);
  return value as ExportFile;
}

/** The bytes that the signature is over. */
export const manifestBytes = (manifest: ExportManifest): Uint8Array =>
  encodeCanonical(manifest as unknown as CborValue);

/** Deterministic CBOR (docs/formats/export.md). */
export const encodeExportCbor = (file: ExportFile): Uint8Array => encodeCanonical(file as unknown as CborValue);

/** @throws Error for every input that {@link encodeExportCbor} would not have written */
export const decodeExportCbor = (bytes: Uint8Array): ExportFile => asExport(decodeCanonical(bytes));

/**
 * The canonical JSON (RFC 8785) of the same; byte strings are base64, a value that holds one is its canonical CBOR in
 * base64.
 */
export const encodeExportJson = (file: ExportFile): Uint8Array =>
  canonicalJson({
    ...file,
    signature: base64(file.signature),
    disclosures: file.disclosures.map(disclosureAsJson),
  });

/** A disclosure as the JSON form has it: `value`, or `cbor` where the value holds bytes. */
export const disclosureAsJson = ({ path, salt, value }: Disclosure): object => ({
  path,
  salt: base64(salt),
  ...(holdsBytes(value) ? { cbor: base64(encodeCanonical(value)) } : { value }),
});

/** @throws Error for every input that {@link encodeExportJson} would not have written */
export function decodeExportJson(bytes: Uint8Array, parsed: unknown): ExportFile {
  if (!isRecord(parsed) || !Array.isArray(parsed.disclosures)) throw new Error('export.disclosures must be a list');
  const file = asExport({
    ...parsed,
    signature: fromBase64(parsed.signature),
    disclosures: parsed.disclosures.map(disclosureOf),
  });
  if (Buffer.compare(encodeExportJson(file), bytes) !== 0)
    throw new Error('the file is not canonical JSON (RFC 8785): white space, member order, escapes or numbers differ');
  return file;
}

function disclosureOf(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { cbor, salt, ...rest } = value;
  if (cbor === undefined) return { ...rest, salt: fromBase64(salt) };
  return { ...rest, salt: fromBase64(salt), value: decodeCanonical(fromBase64(cbor)) };
}

function holdsBytes(value: CborValue): boolean {
  if (value instanceof Uint8Array) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => holdsBytes(member as CborValue));
}

/** What is not the base64 of anything fails when the file is encoded again and compared. */
const fromBase64 = (text: unknown): Uint8Array => Uint8Array.from(Buffer.from(String(text), 'base64'));

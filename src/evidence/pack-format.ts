import { canonicalJson, isRecord } from './canonical-json.js';
import type { Digest } from './digest.js';
import type { AcceptedDocument, CompletedDocument } from './ingest-batch.js';
import type { LeafPlace } from './leaf-tree.js';
import {
  BASE64,
  BLAKE3,
  checkShape,
  constant,
  COUNT,
  INSTANT,
  JWK,
  type Members,
  orNull,
  SHA256,
  type Shape,
  TEXT,
} from './shape.js';
import { type FileTimestamp, TIMESTAMPS } from './file-timestamps.js';
import type { PublicJwk } from './signing-key.js';

/** What is written. */
export const PACK_FORMAT = 'svc-proofpack-v3';
/** What was written before, and is still verified. */
export const PACK_FORMAT_V1 = 'svc-proofpack-v1';
const PACK_FORMAT_V2 = 'svc-proofpack-v2';
export const PACK_FORMATS = [PACK_FORMAT, PACK_FORMAT_V2, PACK_FORMAT_V1] as const;
export const PACK_CONTENT_TYPE = 'application/vnd.svc.proofpack+json';

/** Where a record stands in the log: its leaf and the audit path to the checkpoint's root. */
export interface LogPosition {
  readonly leaf_index: number;
  readonly path: readonly Digest[];
}
/** An execution receipt in a pack. */
export interface PackReceipt extends LogPosition {
  /** UUID of the execution receipt. */
  readonly receipt_id: string;
  /** COSE_Sign1, base64. */
  readonly cose: string;
}
/** A retrieval receipt in a pack. */
export interface PackRetrieval extends LogPosition {
  /** `blake3:<hex>` of the record. */
  readonly receipt_id: string;
  /** Deterministic CBOR, base64. */
  readonly cbor: string;
}
/** The text a receipt speaks of: some map in the receipt's body bears the same chunk_id and content_hash. */
export interface PackChunk {
  readonly chunk_id: string;
  readonly content: string;
  readonly content_hash: Digest;
  readonly corpus_id: string;
  readonly doc_id: string;
  /** Of the execution or retrieval receipt, in this pack, that names the chunk. */
  readonly receipt_id: string;
  readonly version: number;
  /** Where the receipt of its ingest has the passage; null where it has none. Not in version 1. */
  readonly binding?: ContentBinding | null;
}
/** The place of a passage in the Merkle tree whose root an ingest receipt bears. docs/formats/receipts.md. */
export interface ContentBinding {
  /** Of the receipt of kind `ingest.completed` or `ingest.batch_completed`, in this file. */
  readonly receipt_id: string;
  /** Of the leaf, from 0. */
  readonly index: number;
  readonly path: readonly Digest[];
  /** The passage's span in the document's text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** What that receipt says of the document, where it is of a batch. Not before version 3. */
  readonly document?: LeafPlace & Omit<CompletedDocument, DocumentName>;
  /** Where the document was accepted, where that receipt is of a batch; in this file too. Not before version 3. */
  readonly accepted?: LeafPlace & Omit<AcceptedDocument, DocumentName> & { readonly receipt_id: string };
}
/** Known of the document that a text is of. */
type DocumentName = 'corpus_id' | 'doc_id' | 'version';
/** The receipt that begins the log that a file's checkpoint is of: its leaf 0. */
export interface EpochRecord {
  /** COSE_Sign1, base64: a receipt of kind `log.epoch`. */
  readonly cose: string;
  /** The audit path of leaf 0. */
  readonly path: readonly Digest[];
}
/** An earlier checkpoint of the same log and the proof that the pack's checkpoint extends it. */
export interface PackConsistency {
  readonly checkpoint: string;
  readonly path: readonly Digest[];
}

/** What a proof pack holds, without its seal. docs/formats/proof-pack.md. */
export interface PackContents {
  readonly checkpoint: string;
  readonly chunks: readonly PackChunk[];
  readonly consistency: readonly PackConsistency[];
  /** How the log began. Null where its first leaf is of an older version. Not in version 1. */
  readonly epoch?: EpochRecord | null;
  readonly format: (typeof PACK_FORMATS)[number];
  readonly keys: readonly PublicJwk[];
  readonly made_at: string;
  /** Constant: the reply of the route that hands a pack out is the file itself, and such replies bear `ok`. */
  readonly ok: true;
  readonly receipts: readonly PackReceipt[];
  readonly retrievals: readonly PackRetrieval[];
  /** Receipts of the server by which its first key names the others: COSE_Sign1, base64. Not in version 1. */
  readonly statements?: readonly string[];
  readonly subject: { readonly id: string; readonly type: string };
  readonly tenant_id: string;
  /** Of checkpoints of the pack, by time-stamping authorities; left out where there are none. Not in version 1. */
  readonly timestamps?: readonly FileTimestamp[];
}
/** A proof pack as it stands in its file. */
export interface ProofPack extends PackContents {
  /** COSE_Sign1, base64, detached payload: the canonical JSON of everything else. */
  readonly seal: string;
}

/** The bytes the seal signs. */
export function sealedBytes(contents: PackContents): Uint8Array {
  return canonicalJson(contents);
}

/**
 * Reads a proof pack file. Refuses every file that is not the canonical JSON (RFC 8785) of exactly the members above:
 * so white space, member order, escapes, doubled or unknown members cannot differ from what was sealed.
 */
export function readPack(file: Uint8Array): ProofPack {
  const value = parseJson(file);
  checkShape(value, shapeOf(value), 'pack');
  if (Buffer.compare(canonicalJson(value), file) !== 0) {
    throw new Error('the file is not canonical JSON (RFC 8785): white space, member order or escapes were changed');
  }
  return value as ProofPack;
}

function parseJson(file: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file);
  } catch {
    throw new Error('the file is not UTF-8 text');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the file is not JSON: ${error instanceof Error ? error.message : 'malformed'}`, { cause: error });
  }
}

const CHUNK_V1: Members['members'] = {
  chunk_id: TEXT,
  content: TEXT,
  content_hash: BLAKE3,
  corpus_id: TEXT,
  doc_id: TEXT,
  receipt_id: TEXT,
  version: COUNT,
};
const MEMBERS_V1: Members['members'] = {
  checkpoint: TEXT,
  chunks: [{ members: CHUNK_V1 }],
  consistency: [{ members: { checkpoint: TEXT, path: [SHA256] } }],
  format: constant(PACK_FORMAT_V1),
  keys: [JWK],
  made_at: INSTANT,
  ok: constant(true),
  receipts: [{ members: { cose: BASE64, leaf_index: COUNT, path: [SHA256], receipt_id: TEXT } }],
  retrievals: [{ members: { cbor: BASE64, leaf_index: COUNT, path: [SHA256], receipt_id: TEXT } }],
  seal: BASE64,
  subject: { members: { id: TEXT, type: TEXT } },
  tenant_id: TEXT,
};
const PACK_V1: Shape = { members: MEMBERS_V1 };
const BINDING_V2: Members['members'] = { end: COUNT, index: COUNT, path: [SHA256], receipt_id: TEXT, start: COUNT };
const IN_BATCH: Members['members'] = { content_hash: BLAKE3, index: COUNT, ingest_id: TEXT, path: [SHA256] };
/** Of packs and of exports. */
export const BINDING: Shape = {
  members: {
    ...BINDING_V2,
    'accepted?': { members: { ...IN_BATCH, receipt_id: TEXT, shareability: TEXT } },
    'document?': { members: { ...IN_BATCH, passages: COUNT, passages_root: SHA256 } },
  },
};
/** Of packs and of exports. */
export const EPOCH: Shape = orNull({ members: { cose: BASE64, path: [SHA256] } });
export const STATEMENTS: Shape = [BASE64];
const packShape = (format: string, binding: Shape): Shape => ({
  members: {
    ...MEMBERS_V1,
    chunks: [{ members: { ...CHUNK_V1, binding: orNull(binding) } }],
    epoch: EPOCH,
    format: constant(format),
    statements: STATEMENTS,
    'timestamps?': TIMESTAMPS,
  },
});
const PACK = packShape(PACK_FORMAT, BINDING);
const PACK_V2 = packShape(PACK_FORMAT_V2, { members: BINDING_V2 });

function shapeOf(value: unknown): Shape {
  const format = isRecord(value) ? value.format : undefined;
  if (format === PACK_FORMAT_V1) return PACK_V1;
  return format === PACK_FORMAT_V2 ? PACK_V2 : PACK;
}

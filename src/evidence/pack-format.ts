import { canonicalJson } from './canonical-json.js';
import type { Digest } from './digest.js';
import { BASE64, BLAKE3, checkShape, constant, COUNT, INSTANT, JWK, SHA256, type Shape, TEXT } from './shape.js';
import type { PublicJwk } from './signing-key.js';

export const PACK_FORMAT = 'svc-proofpack-v1';
export const PACK_CONTENT_TYPE = 'application/vnd.svc.proofpack+json';

/** Where a record stands in the log: its leaf and the audit path to the checkpoint's root. */
export interface LogPosition {
  readonly leaf_index: number;
  readonly path: readonly Digest[];
}
export interface PackReceipt extends LogPosition {
  /** UUID of the execution receipt. */
  readonly receipt_id: string;
  /** COSE_Sign1, base64. */
  readonly cose: string;
}
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
  readonly format: typeof PACK_FORMAT;
  readonly keys: readonly PublicJwk[];
  readonly made_at: string;
  /** Constant: the reply of the route that hands a pack out is the file itself, and such replies bear `ok`. */
  readonly ok: true;
  readonly receipts: readonly PackReceipt[];
  readonly retrievals: readonly PackRetrieval[];
  readonly subject: { readonly id: string; readonly type: string };
  readonly tenant_id: string;
}
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
  checkShape(value, PACK, 'pack');
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

const PACK: Shape = {
  members: {
    checkpoint: TEXT,
    chunks: [
      {
        members: {
          chunk_id: TEXT,
          content: TEXT,
          content_hash: BLAKE3,
          corpus_id: TEXT,
          doc_id: TEXT,
          receipt_id: TEXT,
          version: COUNT,
        },
      },
    ],
    consistency: [{ members: { checkpoint: TEXT, path: [SHA256] } }],
    format: constant(PACK_FORMAT),
    keys: [JWK],
    made_at: INSTANT,
    ok: constant(true),
    receipts: [{ members: { cose: BASE64, leaf_index: COUNT, path: [SHA256], receipt_id: TEXT } }],
    retrievals: [{ members: { cbor: BASE64, leaf_index: COUNT, path: [SHA256], receipt_id: TEXT } }],
    seal: BASE64,
    subject: { members: { id: TEXT, type: TEXT } },
    tenant_id: TEXT,
  },
};

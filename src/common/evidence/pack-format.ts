import { canonicalJson, isRecord } from './canonical-json.js';
import type { Digest } from './digest.js';
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

/** What a proof pack holds besides its seal. docs/formats/proof-pack.md. */
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
 * Reads a proof pack file. Refuses every file that is not the canonical JSON (RFC 8785) of exactly the members above: so white
 * space, member order, escapes, doubled or unknown members cannot differ from what was sealed.
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

/** A shape is a test of one value, a list of one shape, or the exact members of an object (`name?`: may be missing). */
type Shape = { readonly test: (value: unknown) => boolean; readonly is: string } | readonly [Shape] | Members;
interface Members {
  readonly members: Readonly<Record<string, Shape>>;
}

const TEXT: Shape = { is: 'text', test: (value) => typeof value === 'string' && value.isWellFormed() };
const COUNT: Shape = { is: 'a whole number', test: (value) => Number.isSafeInteger(value) && (value as number) >= 0 };
const matching = (is: string, pattern: RegExp): Shape => ({
  is,
  test: (value) => typeof value === 'string' && pattern.test(value),
});
const constant = (expected: string | boolean): Shape => ({
  is: JSON.stringify(expected),
  test: (value) => value === expected,
});
const BASE64: Shape = {
  is: 'base64 (RFC 4648 section 4)',
  test: (value) => typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value,
};
const SHA256 = matching('sha256:<64 hex>', /^sha256:[0-9a-f]{64}$/);
const BLAKE3 = matching('blake3:<64 hex>', /^blake3:[0-9a-f]{64}$/);
const INSTANT = matching('RFC 3339 in UTC with milliseconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const JWK: Shape = {
  members: {
    alg: constant('EdDSA'),
    crv: constant('Ed25519'),
    'exp?': COUNT,
    kid: TEXT,
    kty: constant('OKP'),
    nbf: COUNT,
    use: constant('sig'),
    x: matching('base64url of 32 bytes', /^[A-Za-z0-9_-]{43}$/),
  },
};
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

function checkShape(value: unknown, shape: Shape, path: string): void {
  if ('test' in shape) {
    if (!shape.test(value)) throw new Error(`${path} must be ${shape.is}`);
  } else if ('members' in shape) {
    checkMembers(value, shape, path);
  } else {
    if (!Array.isArray(value)) throw new Error(`${path} must be a list`);
    value.forEach((item: unknown, index) => {
      checkShape(item, shape[0], `${path}[${String(index)}]`);
    });
  }
}

function checkMembers(value: unknown, { members }: Members, path: string): void {
  if (!isRecord(value)) throw new Error(`${path} must be an object`);
  for (const [name, shape] of Object.entries(members)) {
    const optional = name.endsWith('?');
    const key = optional ? name.slice(0, -1) : name;
    if (Object.hasOwn(value, key)) checkShape(value[key], shape, `${path}.${key}`);
    else if (!optional) throw new Error(`${path}.${key} is missing`);
  }
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(members, key) && !Object.hasOwn(members, `${key}?`));
  if (unknown !== undefined) throw new Error(`${path} has the unknown member ${JSON.stringify(unknown.slice(0, 80))}`);
}

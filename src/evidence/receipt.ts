import { type CborMap, CborError, decodeCanonicalMap, encodeCanonical, isCborMap } from './cbor.js';
import { type CoseSign1, draftCose, parseCose } from './cose.js';
import { BLAKE3_DIGEST } from './digest-forms.js';
import { blake3, blake3Digest, type Digest, namedDigest } from './digest.js';
import { isInstant } from './shape.js';
import { type Draft, type KeyAtHand, type KeyName, signNow } from './signer.js';

export const RECEIPT_CONTENT_TYPE = 'application/vnd.svc.receipt+cbor';
export const RETRIEVAL_CONTENT_TYPE = 'application/vnd.svc.retrieval+cbor';
/** The `tenant_id` of receipts of the server itself. No tenant is named so: a slash cannot stand in a name. */
export const SERVER_TENANT = 'svc/server';
/** Of the event that a receipt was signed. */
export const SIGNATURE_CONTENT_TYPE = 'application/vnd.svc.receipt-signature+cbor';

/** The payload of an execution receipt: exactly these members, deterministic CBOR. docs/formats/receipts.md. */
export interface ReceiptPayload {
  readonly v: 1;
  /** What happened, dotted: `ingest.accepted`. */
  readonly kind: string;
  readonly tenant_id: string;
  readonly stream: string;
  /** From 1, without gaps within (tenant_id, stream). */
  readonly seq: number;
  /** BLAKE3 of the previous payload in the stream; null for seq 1. */
  readonly prev: Digest | null;
  /** RFC 3339, UTC, milliseconds: `2026-11-20T21:04:05.678Z`. */
  readonly occurred_at: string;
  /** The principal that acted: `key:<id>`. */
  readonly actor: string;
  /** How that principal was authenticated. A mode that starts with `dev` is never proof. */
  readonly auth_mode: string;
  /** What the receipt is about: an id. */
  readonly subject: string;
  /** BLAKE3 of the deterministic encoding of body. */
  readonly body_hash: Digest;
  readonly body: CborMap;
}

/** An execution receipt with its signature. */
export interface SignedReceipt {
  readonly receiptId: string;
  readonly payload: ReceiptPayload;
  /** BLAKE3 of the payload's bytes: what the next receipt's prev names. */
  readonly payloadHash: Digest;
  /** COSE_Sign1 with the payload inside: the receipt as it is stored and shown. */
  readonly cose: Uint8Array;
}

/** The payload of a retrieval receipt, unsigned. The nonce keeps its digest in the public log from being guessed. */
export interface RetrievalPayload {
  readonly v: 1;
  readonly kind: 'retrieval';
  readonly tenant_id: string;
  readonly occurred_at: string;
  readonly actor: string;
  readonly auth_mode: string;
  /** 16 random bytes. */
  readonly nonce: Uint8Array;
  readonly body: CborMap;
}

/** A receipt that was read, with the key that it says has signed it. */
export interface OpenReceipt extends SignedReceipt {
  readonly kid: string;
}

/** What a receipt is made of. */
export type ReceiptFields = Omit<ReceiptPayload, 'v' | 'body_hash'>;

/** A receipt but for its signature: the next one in the stream can be made before it is signed. */
export interface ReceiptDraft extends Draft<SignedReceipt> {
  readonly payloadHash: Digest;
}

/** Digests the body and encodes the payload. */
export function draftReceipt(fields: ReceiptFields, key: Pick<KeyName, 'kid'>): ReceiptDraft {
  const payload: ReceiptPayload = { v: 1, ...fields, body_hash: blake3Digest(encodeCanonical(fields.body)) };
  const bytes = encodeCanonical({ ...payload });
  const hash = blake3(bytes);
  const payloadHash = namedDigest('blake3', hash);
  const { toBeSigned, with: signed } = draftCose(key, RECEIPT_CONTENT_TYPE, bytes);
  return {
    payloadHash,
    toBeSigned,
    with: (signature) => ({ receiptId: receiptIdOf(hash), payload, payloadHash, cose: signed(signature) }),
  };
}

/** By a key at hand; the server itself signs drafts by its signer. */
export const signReceipt = (fields: ReceiptFields, key: KeyAtHand): SignedReceipt =>
  signNow(draftReceipt(fields, key), key);

/**
 * Reads a receipt and checks all that needs no key: form and body_hash. The signature is the caller's to verify.
 * @throws CborError
 */
export const openReceipt = (cose: Uint8Array): OpenReceipt => openMessage(parseCose(cose), cose);

/** As {@link openReceipt}, of what `cose` was read as before. */
export function openMessage(message: CoseSign1, cose: Uint8Array): OpenReceipt {
  if (message.contentType !== RECEIPT_CONTENT_TYPE) throw new CborError('the content type is not that of a receipt');
  if (message.payload === null) throw new CborError('a receipt carries its payload');
  const payload = readPayload(decodeCanonicalMap(message.payload));
  if (payload.body_hash !== blake3Digest(encodeCanonical(payload.body))) {
    throw new CborError('body_hash is not the digest of body');
  }
  const hash = blake3(message.payload);
  return { receiptId: receiptIdOf(hash), payload, payloadHash: namedDigest('blake3', hash), cose, kid: message.kid };
}

/** A retrieval receipt in its canonical encoding, whose digest is its id. */
export interface RetrievalRecord {
  readonly receiptId: Digest;
  readonly payload: RetrievalPayload;
  readonly bytes: Uint8Array;
}

/** Deterministic CBOR (docs/formats/receipts.md), and the id that follows from it. */
export function encodeRetrieval(payload: RetrievalPayload): RetrievalRecord {
  const bytes = encodeCanonical({ ...payload });
  return { receiptId: blake3Digest(bytes), payload, bytes };
}

/**
 * Reads a retrieval receipt, which bears no signature: its digest is its id, and stands in the log.
 * @throws CborError for other members, another version or another encoding than {@link encodeRetrieval} gives
 */
export function openRetrieval(bytes: Uint8Array): { receiptId: Digest; payload: RetrievalPayload } {
  const map = decodeCanonicalMap(bytes);
  expectMembers(map, ['actor', 'auth_mode', 'body', 'kind', 'nonce', 'occurred_at', 'tenant_id', 'v']);
  const { nonce, body } = map;
  if (map.v !== 1 || map.kind !== 'retrieval') throw new CborError('not a retrieval receipt of version 1');
  if (!(nonce instanceof Uint8Array) || nonce.length !== 16) throw new CborError('nonce must have 16 bytes');
  if (!isCborMap(body)) throw new CborError('body must be a map');
  const payload: RetrievalPayload = {
    v: 1,
    kind: 'retrieval',
    tenant_id: text(map, 'tenant_id'),
    occurred_at: instant(map),
    actor: text(map, 'actor'),
    auth_mode: text(map, 'auth_mode'),
    nonce,
    body,
  };
  return { receiptId: blake3Digest(bytes), payload };
}

/** UUID of RFC 9562 version 8: the first 16 bytes of the hash with the version and variant bits set. */
export function receiptIdOf(payloadHash: Uint8Array): string {
  const bytes = Buffer.from(payloadHash.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const PAYLOAD_MEMBERS = [
  'actor',
  'auth_mode',
  'body',
  'body_hash',
  'kind',
  'occurred_at',
  'prev',
  'seq',
  'stream',
  'subject',
  'tenant_id',
  'v',
];

function readPayload(map: CborMap): ReceiptPayload {
  expectMembers(map, PAYLOAD_MEMBERS);
  const { seq, prev, body } = map;
  if (map.v !== 1) throw new CborError(`receipt version ${JSON.stringify(map.v)} is not known`);
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1)
    throw new CborError('seq must be an integer from 1');
  if ((seq === 1) !== (prev === null)) throw new CborError('prev must be null for seq 1, and only there');
  if (!isCborMap(body)) throw new CborError('body must be a map');
  return {
    v: 1,
    kind: text(map, 'kind'),
    tenant_id: text(map, 'tenant_id'),
    stream: text(map, 'stream'),
    seq,
    prev: prev === null ? null : digest(map, 'prev'),
    occurred_at: instant(map),
    actor: text(map, 'actor'),
    auth_mode: text(map, 'auth_mode'),
    subject: text(map, 'subject'),
    body_hash: digest(map, 'body_hash'),
    body,
  };
}

function expectMembers(map: CborMap, names: readonly string[]): void {
  const found = Object.keys(map).sort();
  if (found.join() !== names.join())
    throw new CborError(`members must be ${names.join(', ')}, found ${found.join(', ')}`);
}

function text(map: CborMap, name: string): string {
  const value = map[name];
  if (typeof value !== 'string') throw new CborError(`${name} must be text`);
  return value;
}

function instant(map: CborMap): string {
  const value = text(map, 'occurred_at');
  if (!isInstant(value)) throw new CborError('occurred_at must be RFC 3339 in UTC with milliseconds');
  return value;
}

function digest(map: CborMap, name: string): Digest {
  const value = text(map, name);
  if (!BLAKE3_DIGEST.test(value)) throw new CborError(`${name} must be blake3:<64 hexadecimal digits>`);
  return value as Digest;
}

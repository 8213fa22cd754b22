import { blake3, blake3Digest } from './blake3.ts';
import { bytesOfHex, concat, hexOf, utf8 } from './bytes.ts';
import { decodeCanonical, decodeMap, encodeCanonical, expectMembers, textOf, type CborMap } from './cbor.ts';

/** docs/formats/receipts.md */
const EXECUTION = 'v kind tenant_id stream seq prev occurred_at actor auth_mode subject body_hash body'.split(' ');
const RETRIEVAL = 'v kind tenant_id occurred_at actor auth_mode nonce body'.split(' ');
const SIGNATURE = 'v kind receipt_id algorithm curve kid protected signature payload_hash'.split(' ');
const CONTENT_TYPE = 'application/vnd.svc.receipt+cbor';
const DIGEST = /^blake3:[0-9a-f]{64}$/;
const EDDSA = -8;

export interface OpenedReceipt {
  family: 'execution' | 'retrieval';
  id: string;
  payloadHash: string;
  kind: string;
  tenant: string;
  actor: string;
  authMode: string;
  occurredAt: string;
  /** Of execution receipts alone. */
  subject?: string;
  stream?: string;
  seq?: number;
  prev?: string | null;
  body: CborMap;
}

/** The id that a receipt has by its payload's digest: a UUID of version 8. */
export function receiptIdOf(payloadHash: string): string {
  const bytes = bytesOfHex(payloadHash.replace('blake3:', '').slice(0, 32));
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Members, types and body_hash; needs no key. @throws Error saying what does not hold */
export function openReceipt(payload: Uint8Array): OpenedReceipt {
  const map = decodeMap(payload, 'the record');
  const isRetrieval = map.get('kind') === 'retrieval';
  expectMembers(map, isRetrieval ? RETRIEVAL : EXECUTION, 'the record');
  if (map.get('v') !== 1) throw new Error(`version ${String(map.get('v'))} of the format is not known`);
  const body = map.get('body');
  if (!(body instanceof Map)) throw new Error('body is not a map');
  const occurredAt = textOf(map, 'occurred_at');
  if (!isInstant(occurredAt)) throw new Error('occurred_at is no RFC 3339 in UTC with milliseconds');
  const payloadHash = blake3Digest(payload);
  const common = {
    ...{ payloadHash, occurredAt, body: body as CborMap, kind: textOf(map, 'kind') },
    ...{ tenant: textOf(map, 'tenant_id'), actor: textOf(map, 'actor'), authMode: textOf(map, 'auth_mode') },
  };
  if (!isRetrieval)
    return { family: 'execution', id: receiptIdOf(payloadHash), ...common, ...placeOf(map, body as CborMap) };
  const nonce = map.get('nonce');
  if (!(nonce instanceof Uint8Array) || nonce.length !== 16) throw new Error('nonce is not 16 bytes');
  return { family: 'retrieval', id: payloadHash, ...common };
}

const isInstant = (text: string): boolean =>
  text.length === 24 && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

function placeOf(map: CborMap, body: CborMap) {
  const seq = map.get('seq');
  const prev = map.get('prev');
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) throw new Error('seq is no integer from 1');
  if (prev !== null && (typeof prev !== 'string' || !DIGEST.test(prev))) throw new Error('prev is no digest');
  if ((seq === 1) !== (prev === null)) throw new Error('prev must be null for seq 1, and only there');
  if (textOf(map, 'body_hash') !== blake3Digest(encodeCanonical(body)))
    throw new Error('body_hash is not the digest of body');
  return { subject: textOf(map, 'subject'), stream: textOf(map, 'stream'), seq, prev };
}

export interface ReceiptSignature {
  kid: string;
  protectedHeader: Uint8Array;
  signature: Uint8Array;
}

/** Reads the event that shows a signature apart from what it signs. @throws Error */
export function openSignature(event: Uint8Array, payloadHash: string): ReceiptSignature {
  const map = decodeMap(event, 'the signature');
  expectMembers(map, SIGNATURE, 'the signature');
  const { protectedHeader, signature } = {
    protectedHeader: map.get('protected'),
    signature: map.get('signature'),
  };
  if (!(protectedHeader instanceof Uint8Array)) throw new Error('the protected header is not bytes');
  if (!(signature instanceof Uint8Array) || signature.length !== 64) throw new Error('the signature is not 64 bytes');
  if (map.get('payload_hash') !== payloadHash) throw new Error('the signature is of another record');
  const { kid } = readHeader(protectedHeader, CONTENT_TYPE);
  if (map.get('kid') !== kid) throw new Error('the signature names two keys');
  return { kid, protectedHeader, signature };
}

function readHeader(bytes: Uint8Array, contentType: string): { kid: string } {
  const header = decodeMap(bytes, 'the protected header');
  const kid = header.get(4);
  if (header.size !== 3 || header.get(1) !== EDDSA || !(kid instanceof Uint8Array))
    throw new Error('the protected header has not exactly EdDSA, a content type and a kid');
  // The same key signs other things: the content type keeps one from passing for another.
  if (header.get(3) !== contentType) throw new Error(`the signature is for ${String(header.get(3))}`);
  return { kid: Array.from(kid, (byte) => String.fromCharCode(byte)).join('') };
}

/** The bytes that were signed: Sig_structure of RFC 9052 section 4.4. */
export const toBeSigned = ({ protectedHeader }: Pick<ReceiptSignature, 'protectedHeader'>, payload: Uint8Array) =>
  encodeCanonical(['Signature1', protectedHeader, new Uint8Array(), payload]);

/** The COSE_Sign1 message, of which the log has the digest. */
export const messageOf = ({ protectedHeader, signature }: ReceiptSignature, payload: Uint8Array) =>
  concat(Uint8Array.of(0xd2), encodeCanonical([protectedHeader, new Map(), payload, signature]));

/** Takes a COSE_Sign1 message apart. @throws Error */
export function openMessage(message: Uint8Array): ReceiptSignature & { payload: Uint8Array } {
  if (message[0] !== 0xd2) throw new Error('not a COSE_Sign1 message');
  const parts = decodeCanonical(message.subarray(1), 'the message');
  if (!Array.isArray(parts) || parts.length !== 4) throw new Error('a message has four parts');
  const [protectedHeader, unprotected, payload, signature] = parts as unknown[];
  if (!(unprotected instanceof Map) || unprotected.size > 0) throw new Error('the unprotected header is not empty');
  if (!(protectedHeader instanceof Uint8Array && payload instanceof Uint8Array && signature instanceof Uint8Array))
    throw new Error('the parts of the message are not bytes');
  if (signature.length !== 64) throw new Error('the signature is not 64 bytes');
  return { ...readHeader(protectedHeader, CONTENT_TYPE), protectedHeader, payload, signature };
}

/** The entry of the log that stands for a record. */
export const entryOf = (family: OpenedReceipt['family'], record: Uint8Array) =>
  utf8(`svc-log-entry-v1:${family}:blake3:${hexOf(blake3(record))}`);

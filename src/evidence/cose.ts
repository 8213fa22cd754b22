import { CborError, type CborValue, decodeCanonical, encodeCanonical, isCborMap } from './cbor.js';
import type { Draft, KeyName } from './signer.js';
import type { VerifyingKey } from './signing-key.js';

/** COSE header labels and the EdDSA algorithm number (RFC 9052 section 3.1, RFC 9053 section 2.2). */
const ALG = 1;
const CONTENT_TYPE = 3;
const KID = 4;
const EDDSA = -8;
/** How every COSE_Sign1 message begins: the encoding of CBOR tag 18. */
export const COSE_SIGN1 = 0xd2;

/** A message that {@link parseCose} has read; its signature is not verified by that. */
export interface CoseSign1 {
  readonly kid: string;
  readonly contentType: string;
  /** null when the payload travels apart (detached). */
  readonly payload: Uint8Array | null;
  readonly protectedHeader: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * COSE_Sign1 (RFC 9052 section 4.2), tagged, deterministically encoded: `18([protected, {}, payload, signature])`. The
 * protected header holds alg -8 (EdDSA), content type (3) and kid (4, the kid's ASCII bytes), so that a signature made
 * for one kind of content can never be shown as one for another. external_aad is empty.
 */
export function draftCose(
  { kid }: Pick<KeyName, 'kid'>,
  contentType: string,
  payload: Uint8Array,
  detached = false,
): Draft<Uint8Array> {
  const protectedHeader = encodeProtected(contentType, kid);
  return {
    toBeSigned: toBeSigned(protectedHeader, payload),
    with: (signature) => encodeSign1([protectedHeader, {}, detached ? null : payload, signature]),
  };
}

/** A COSE_Sign1 message, tagged, of its parts: the protected header encoded, unprotected header, payload, signature. */
export function encodeSign1(parts: readonly [Uint8Array, CborValue, Uint8Array | null, Uint8Array]): Uint8Array {
  const message = encodeCanonical([...parts]);
  const tagged = new Uint8Array(message.length + 1);
  tagged[0] = COSE_SIGN1;
  tagged.set(message, 1);
  return tagged;
}

/**
 * Reads the structure and refuses every form other than the one {@link draftCose} writes. Does not verify.
 * @throws CborError
 */
export function parseCose(bytes: Uint8Array): CoseSign1 {
  if (bytes[0] !== COSE_SIGN1) throw new CborError('not a COSE_Sign1 message (CBOR tag 18)');
  const parts = decodeCanonical(bytes.subarray(1));
  if (!Array.isArray(parts) || parts.length !== 4) throw new CborError('COSE_Sign1 must be an array of four');
  const [protectedHeader, unprotected, payload, signature] = parts as CborValue[];
  if (!(protectedHeader instanceof Uint8Array)) throw new CborError('the protected header must be a byte string');
  if (!isCborMap(unprotected) || Object.keys(unprotected).length > 0) {
    throw new CborError('the unprotected header must be empty');
  }
  if (payload !== null && !(payload instanceof Uint8Array))
    throw new CborError('the payload must be a byte string or null');
  if (!(signature instanceof Uint8Array) || signature.length !== 64) {
    throw new CborError('the signature must have 64 bytes');
  }
  return { ...parseProtected(protectedHeader), payload, protectedHeader, signature };
}

/** True when the signature holds over the payload (the detached one when the message carries none). */
export function verifyCose(message: CoseSign1, key: VerifyingKey, detachedPayload?: Uint8Array): boolean {
  const payload = message.payload ?? detachedPayload;
  if (payload === undefined || (message.payload !== null && detachedPayload !== undefined)) return false;
  return message.kid === key.kid && key.verify(toBeSigned(message.protectedHeader, payload), message.signature);
}

/** Sig_structure of RFC 9052 section 4.4 with context "Signature1" and empty external_aad. */
function toBeSigned(protectedHeader: Uint8Array, payload: Uint8Array): Uint8Array {
  return encodeCanonical(['Signature1', protectedHeader, new Uint8Array(0), payload]);
}

/** Of the last few kinds of content and keys: a server signs with one key at a time. */
const encodedHeaders = new Map<string, Uint8Array>();
const MAX_HEADERS = 64;

function encodeProtected(contentType: string, kid: string): Uint8Array {
  const name = `${kid} ${contentType}`;
  const known = encodedHeaders.get(name);
  if (known) return known;
  const encoded = encodeCanonical(
    new Map<number, CborValue>([
      [ALG, EDDSA],
      [CONTENT_TYPE, contentType],
      [KID, Buffer.from(kid, 'ascii')],
    ]),
  );
  if (encodedHeaders.size >= MAX_HEADERS) encodedHeaders.clear();
  encodedHeaders.set(name, encoded);
  return encoded;
}

interface ProtectedHeader {
  readonly kid: string;
  readonly contentType: string;
}

/** Of the last few headers that were read, by their bytes: the records of a log share some. */
const readHeaders = new Map<string, ProtectedHeader>();

function parseProtected(bytes: Uint8Array): ProtectedHeader {
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const known = readHeaders.get(name);
  if (known) return known;
  const header = readProtected(bytes);
  if (readHeaders.size >= MAX_HEADERS) readHeaders.clear();
  readHeaders.set(name, header);
  return header;
}

function readProtected(bytes: Uint8Array): ProtectedHeader {
  const header = decodeCanonical(bytes);
  if (!(header instanceof Map) || header.size !== 3)
    throw new CborError('the protected header must hold alg, content type and kid');
  const contentType: unknown = header.get(CONTENT_TYPE);
  const kid: unknown = header.get(KID);
  if (header.get(ALG) !== EDDSA) throw new CborError('the algorithm must be EdDSA (-8)');
  if (typeof contentType !== 'string') throw new CborError('the content type must be text');
  if (!(kid instanceof Uint8Array)) throw new CborError('the kid must be a byte string');
  return { contentType, kid: Buffer.from(kid).toString('latin1') };
}

import { CborError, type CborValue, decodeCanonical, encodeCanonical } from '../cbor.js';
import { COSE_SIGN1, encodeSign1 } from '../cose.js';
import type { Draft, KeyName, SignatureVerifier } from '../signer.js';

/** Header labels: RFC 9052 section 3.1, RFC 9597 (15), RFC 9942 (394, 395, 396). */
export const LABEL = { alg: 1, contentType: 3, kid: 4, claims: 15, receipts: 394, vds: 395, vdp: 396 } as const;
/** RFC 9053 sections 2.1 and 2.2. */
const ALGORITHMS = { EdDSA: -8, ES256: -7 } as const;

export type IntMap = ReadonlyMap<number, CborValue>;

/** A COSE_Sign1 message (RFC 9052 section 4.2) with any header, as the standard forms need. */
export interface CoseMessage {
  readonly protected: IntMap;
  readonly unprotected: IntMap;
  /** null: it travels apart. */
  readonly payload: Uint8Array | null;
  readonly signature: Uint8Array;
}

interface Unsigned {
  /** Without alg and kid, which follow from the key. */
  readonly protected: Iterable<readonly [number, CborValue]>;
  readonly unprotected: IntMap;
  readonly payload: Uint8Array;
  readonly isDetached: boolean;
}

/** The message but for its signature; alg and kid stand first in its protected header. */
export function draftMessage(
  key: KeyName,
  { protected: header, unprotected, payload, isDetached }: Unsigned,
): Draft<Uint8Array> {
  const protectedMap = new Map<number, CborValue>([
    [LABEL.alg, ALGORITHMS[key.algorithm]],
    [LABEL.kid, Buffer.from(key.kid, 'ascii')],
    ...header,
  ]);
  const shown = isDetached ? null : payload;
  return {
    toBeSigned: toBeSigned(protectedMap, payload),
    with: (signature) => encodeMessage({ protected: protectedMap, unprotected, payload: shown, signature }),
  };
}

function encodeMessage({ protected: header, unprotected, payload, signature }: CoseMessage): Uint8Array {
  return encodeSign1([encodeCanonical(header), unprotected.size === 0 ? {} : unprotected, payload, signature]);
}

/** @throws CborError for what is no such message, or not in its one deterministic form */
export function decodeMessage(bytes: Uint8Array): CoseMessage {
  if (bytes[0] !== COSE_SIGN1) throw new CborError('not a COSE_Sign1 message (CBOR tag 18)');
  const parts = decodeCanonical(bytes.subarray(1));
  if (!Array.isArray(parts) || parts.length !== 4) throw new CborError('COSE_Sign1 must be an array of four');
  const [header, unprotected, payload, signature] = parts as CborValue[];
  if (!(header instanceof Uint8Array)) throw new CborError('the protected header must be a byte string');
  if (payload !== null && !(payload instanceof Uint8Array))
    throw new CborError('the payload must be a byte string or null');
  if (!(signature instanceof Uint8Array) || signature.length !== 64)
    throw new CborError('the signature must have 64 bytes');
  return { protected: intMap(decodeCanonical(header)), unprotected: intMap(unprotected), payload, signature };
}

/** The kid that the message names. @throws CborError where it names none */
export function kidOf({ protected: header }: CoseMessage): string {
  const kid = header.get(LABEL.kid);
  if (!(kid instanceof Uint8Array)) throw new CborError('the kid must be a byte string');
  return Buffer.from(kid).toString('latin1');
}

/**
 * Whether this key signed it over the payload, and the message names it and its algorithm.
 * @param payload the message's own, or the one that travels apart
 * @throws CborError for a message without a kid
 */
export function verifyMessage(message: CoseMessage, key: SignatureVerifier, payload: Uint8Array): boolean {
  if (kidOf(message) !== key.kid || message.protected.get(LABEL.alg) !== ALGORITHMS[key.algorithm]) return false;
  return key.verify(toBeSigned(message.protected, payload), message.signature);
}

/** An empty map decodes as one with text keys. */
function intMap(value: CborValue | undefined): IntMap {
  if (value instanceof Map) return value as IntMap;
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return new Map();
  throw new CborError('a header must be a map of integer labels');
}

/** @throws CborError where the map has other labels */
export function expectLabels(map: IntMap, labels: readonly number[]): void {
  const found = [...map.keys()].sort((a, b) => a - b).join(', ');
  const wanted = [...labels].sort((a, b) => a - b).join(', ');
  if (found !== wanted) throw new CborError(`the labels must be ${wanted}, found ${found}`);
}

/** RFC 9052 section 4.4. */
const toBeSigned = (header: IntMap, payload: Uint8Array): Uint8Array =>
  encodeCanonical(['Signature1', encodeCanonical(header), new Uint8Array(0), payload]);

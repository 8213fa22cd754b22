import { CborError, type CborValue } from '../cbor.js';
import { blake3, blake3Digest } from '../digest.js';
import { openReceipt, RECEIPT_CONTENT_TYPE, receiptIdOf, RETRIEVAL_CONTENT_TYPE } from '../receipt.js';
import { parseCose } from '../cose.js';
import {
  type CoseMessage,
  decodeMessage,
  draftMessage,
  expectLabels,
  type IntMap,
  kidOf,
  LABEL,
} from './cose-message.js';
import { entryOf, type LoggedRecord } from './logged-record.js';
import { type Draft, type KeyAtHand, type KeyName, signNow } from '../signer.js';

/** CWT claims (RFC 8392), and one of our own from the range for private use: the entry of the log. */
const CLAIM = { issuer: 1, subject: 2, entry: -70003 } as const;

/** What a transparent statement says. */
export interface SignedStatement {
  readonly message: CoseMessage & { readonly payload: Uint8Array };
  readonly kid: string;
  readonly issuer: string;
  /** The id of the receipt. */
  readonly subject: string;
  readonly entry: string;
  /** COSE receipts (RFC 9942) of the entry. */
  readonly receipts: readonly Uint8Array[];
}

interface StatementParts<K> {
  readonly issuer: string;
  readonly receipts: readonly Uint8Array[];
  readonly key: K;
}

/**
 * A transparent statement of RFC 9943: the payload of the record signed again under a header with CWT claims, and COSE
 * receipts of the record's entry in the log.
 * @param issuer who states it: the origin of the log, or the address that the server is given
 */
export function draftStatement(
  logged: LoggedRecord,
  { issuer, receipts, key }: StatementParts<KeyName>,
): Draft<Uint8Array> {
  const { contentType, payload, receiptId } = contentOf(logged);
  const claims = new Map<number, CborValue>([
    [CLAIM.issuer, issuer],
    [CLAIM.subject, receiptId],
    [CLAIM.entry, entryOf(logged)],
  ]);
  return draftMessage(key, {
    protected: [
      [LABEL.contentType, contentType],
      [LABEL.claims, claims],
    ],
    unprotected: new Map([[LABEL.receipts, [...receipts]]]),
    payload,
    isDetached: false,
  });
}

export const signStatement = (logged: LoggedRecord, parts: StatementParts<KeyAtHand>): Uint8Array =>
  signNow(draftStatement(logged, parts), parts.key);

/** @throws CborError for what {@link draftStatement} would not have written */
export function readStatement(bytes: Uint8Array): SignedStatement {
  const message = decodeMessage(bytes);
  const { payload } = message;
  if (payload === null) throw new CborError('a statement carries its payload');
  expectLabels(message.protected, [LABEL.alg, LABEL.contentType, LABEL.kid, LABEL.claims]);
  expectLabels(message.unprotected, [LABEL.receipts]);
  const receipts = message.unprotected.get(LABEL.receipts);
  if (!Array.isArray(receipts) || receipts.length === 0 || !receipts.every((one) => one instanceof Uint8Array))
    throw new CborError('the receipts must be a list of byte strings');
  const claims = readClaims(message.protected);
  expectSubject(message.protected.get(LABEL.contentType), payload, claims.subject);
  return { message: { ...message, payload }, kid: kidOf(message), ...claims, receipts: receipts };
}

function readClaims(header: IntMap): { issuer: string; subject: string; entry: string } {
  const claims = header.get(LABEL.claims);
  if (!(claims instanceof Map)) throw new CborError('the protected header must hold CWT claims');
  expectLabels(claims as IntMap, Object.values(CLAIM));
  const [issuer, subject, entry] = Object.values(CLAIM).map((label) => (claims as IntMap).get(label));
  if (typeof issuer !== 'string' || typeof subject !== 'string' || typeof entry !== 'string')
    throw new CborError('iss, sub and the entry must be text');
  return { issuer, subject, entry };
}

/** The payload is what the subject says it is. */
function expectSubject(contentType: CborValue | undefined, payload: Uint8Array, subject: string): void {
  const made =
    contentType === RECEIPT_CONTENT_TYPE
      ? receiptIdOf(blake3(payload))
      : contentType === RETRIEVAL_CONTENT_TYPE
        ? blake3Digest(payload)
        : undefined;
  if (made !== subject) throw new CborError('the payload does not make the id of its subject');
}

function contentOf({ type, record }: LoggedRecord): { contentType: string; payload: Uint8Array; receiptId: string } {
  if (type === 'retrieval')
    return { contentType: RETRIEVAL_CONTENT_TYPE, payload: record, receiptId: blake3Digest(record) };
  const { payload } = parseCose(record);
  return { contentType: RECEIPT_CONTENT_TYPE, payload: payload!, receiptId: openReceipt(record).receiptId };
}

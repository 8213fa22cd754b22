import { CborError, type CborValue } from '../cbor.js';
import { blake3, blake3Digest } from '../digest.js';
import { openReceipt, RECEIPT_CONTENT_TYPE, receiptIdOf, RETRIEVAL_CONTENT_TYPE } from '../receipt.js';
import { encodeSign1, parseCose } from '../cose.js';
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
import type { Draft, KeyName } from '../signer.js';

/**
 * CWT claims (RFC 8392), and two of our own from the range for private use: the entry of the log, and of an execution
 * receipt the protected header and signature of its record, by which the payload is the record that the entry names.
 */
const CLAIM = { issuer: 1, subject: 2, entry: -70003, record: -70004 } as const;

/** What a transparent statement says. */
export interface SignedStatement {
  readonly message: CoseMessage & { readonly payload: Uint8Array };
  readonly kid: string;
  readonly issuer: string;
  /** The id of the receipt. */
  readonly subject: string;
  readonly entry: string;
  /** The record itself, whose digest the entry has. */
  readonly logged: Pick<LoggedRecord, 'type' | 'record'>;
  /** COSE receipts (RFC 9942) of the entry. */
  readonly receipts: readonly Uint8Array[];
}

interface StatementParts {
  readonly issuer: string;
  readonly receipts: readonly Uint8Array[];
  readonly key: KeyName;
}

/**
 * A transparent statement of RFC 9943: the payload of the record signed again under a header with CWT claims, and COSE
 * receipts of the record's entry in the log.
 * @param issuer who states it: the origin of the log, or the address that the server is given
 */
export function draftStatement(logged: LoggedRecord, { issuer, receipts, key }: StatementParts): Draft<Uint8Array> {
  const { contentType, payload, receiptId, signed } = contentOf(logged);
  const claims = new Map<number, CborValue>([
    [CLAIM.issuer, issuer],
    [CLAIM.subject, receiptId],
    [CLAIM.entry, entryOf(logged)],
    ...(signed ? [[CLAIM.record, signed] as const] : []),
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
  const contentType = message.protected.get(LABEL.contentType);
  expectSubject(contentType, payload, claims.subject);
  const logged = recordOf(contentType, payload, claims.signed);
  if (entryOf(logged) !== claims.entry)
    throw new CborError('the payload is not that of the record which the entry names');
  const { issuer, subject, entry } = claims;
  return { message: { ...message, payload }, kid: kidOf(message), issuer, subject, entry, logged, receipts };
}

/** The claims; `signed` is of an execution receipt. */
interface Claims {
  issuer: string;
  subject: string;
  entry: string;
  signed: CborValue | undefined;
}

function readClaims(header: IntMap): Claims {
  const claims = header.get(LABEL.claims);
  if (!(claims instanceof Map)) throw new CborError('the protected header must hold CWT claims');
  const { record, ...always } = CLAIM;
  const isExecution = header.get(LABEL.contentType) === RECEIPT_CONTENT_TYPE;
  if (isExecution && !(claims as IntMap).has(record))
    throw new CborError('it lacks the signature of its record, as those of earlier versions do: ask for it again');
  expectLabels(claims as IntMap, Object.values(isExecution ? CLAIM : always));
  const [issuer, subject, entry] = Object.values(always).map((label) => (claims as IntMap).get(label));
  if (typeof issuer !== 'string' || typeof subject !== 'string' || typeof entry !== 'string')
    throw new CborError('iss, sub and the entry must be text');
  return { issuer, subject, entry, signed: (claims as IntMap).get(record) };
}

/** The record that the payload is of, put together again. */
function recordOf(
  contentType: CborValue | undefined,
  payload: Uint8Array,
  signed: CborValue | undefined,
): Pick<LoggedRecord, 'type' | 'record'> {
  if (contentType !== RECEIPT_CONTENT_TYPE) return { type: 'retrieval', record: payload };
  const [header, signature] = Array.isArray(signed) && signed.length === 2 ? (signed as CborValue[]) : [];
  if (!(header instanceof Uint8Array) || !(signature instanceof Uint8Array))
    throw new CborError('the claim of the record must be its protected header and its signature');
  return { type: 'execution', record: encodeSign1([header, {}, payload, signature]) };
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

interface Content {
  contentType: string;
  payload: Uint8Array;
  receiptId: string;
  /** Of an execution receipt: protected header and signature of the record. */
  signed?: CborValue[];
}

function contentOf({ type, record }: LoggedRecord): Content {
  if (type === 'retrieval')
    return { contentType: RETRIEVAL_CONTENT_TYPE, payload: record, receiptId: blake3Digest(record) };
  const { payload, protectedHeader, signature } = parseCose(record);
  const { receiptId } = openReceipt(record);
  return { contentType: RECEIPT_CONTENT_TYPE, payload: payload!, receiptId, signed: [protectedHeader, signature] };
}

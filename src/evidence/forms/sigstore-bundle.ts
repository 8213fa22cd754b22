import { canonicalJson, isRecord } from '../canonical-json.js';
import { parseCheckpoint } from '../checkpoint.js';
import { BASE64, checkShape, constant, COUNT, SHA256, type Shape, TEXT } from '../shape.js';
import { sha256Digest } from '../digest.js';
import { openReceipt, openRetrieval } from '../receipt.js';
import { expectLogged, type LoggedRecord, recordTypeOf } from './logged-record.js';
import { type Draft, type KeyAtHand, type KeyName, type SignatureVerifier, signNow } from '../signer.js';

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** What a bundle says. */
export interface ReceiptBundle {
  readonly kid: string;
  readonly logged: LoggedRecord;
  readonly receiptId: string;
  readonly predicateType: string;
  /** The bytes that were signed. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * A Sigstore bundle v0.3 with the hint of a public key: a DSSE envelope over an in-toto Statement v1, whose subject is
 * the record by its SHA-256 and whose predicate has the record and its proof. RFC 8785 JSON.
 * @param base the predicate type is `<base>/receipt/v1`
 */
export function draftReceiptBundle(
  logged: LoggedRecord,
  { base, key: { kid } }: { base: string; key: Pick<KeyName, 'kid'> },
): Draft<Uint8Array> {
  const payload = canonicalJson(statementOf(logged, base));
  return {
    toBeSigned: preAuthEncoding(payload),
    with: (signature) =>
      canonicalJson({
        mediaType: BUNDLE_TYPE,
        verificationMaterial: { publicKey: { hint: kid }, tlogEntries: [] },
        dsseEnvelope: {
          payload: Buffer.from(payload).toString('base64'),
          payloadType: PAYLOAD_TYPE,
          signatures: [{ keyid: kid, sig: Buffer.from(signature).toString('base64') }],
        },
      }),
  };
}

export const signReceiptBundle = (logged: LoggedRecord, parts: { base: string; key: KeyAtHand }): Uint8Array =>
  signNow(draftReceiptBundle(logged, parts), parts.key);

/** @throws Error for what {@link draftReceiptBundle} would not have written, and for one that proves nothing */
export function readReceiptBundle(bytes: Uint8Array, parsed: unknown): ReceiptBundle {
  checkShape(parsed, BUNDLE, 'bundle');
  const { verificationMaterial, dsseEnvelope } = parsed as BundleFile;
  if (Buffer.compare(canonicalJson(parsed), bytes) !== 0) throw new Error('the file is not canonical JSON (RFC 8785)');
  const [signature, ...rest] = dsseEnvelope.signatures;
  if (!signature || rest.length > 0 || signature.keyid !== verificationMaterial.publicKey.hint)
    throw new Error('there must be one signature, by the key of the hint');
  if (verificationMaterial.tlogEntries.length > 0) throw new Error('entries of other logs are not looked at');
  const payload = Buffer.from(dsseEnvelope.payload, 'base64');
  const statement: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload));
  return {
    kid: signature.keyid,
    ...readStatement(statement, payload),
    signed: preAuthEncoding(payload),
    signature: Buffer.from(signature.sig, 'base64'),
  };
}

export const verifyReceiptBundle = ({ kid, signed, signature }: ReceiptBundle, key: SignatureVerifier): boolean =>
  kid === key.kid && key.verify(signed, signature);

/** DSSE v1.0.2, "PAE". */
function preAuthEncoding(payload: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

function statementOf({ type, record, leaf_index, path, checkpoint }: LoggedRecord, base: string): object {
  const { receiptId, payload } = type === 'execution' ? openReceipt(record) : openRetrieval(record);
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: receiptId, digest: { sha256: sha256Digest(record).slice('sha256:'.length) } }],
    predicateType: `${base}/receipt/v1`,
    predicate: {
      kind: payload.kind,
      occurred_at: payload.occurred_at,
      record: Buffer.from(record).toString('base64'),
      log: { checkpoint, leaf_index, origin: parseCheckpoint(checkpoint).origin, path },
    },
  };
}

/** The statement is the one that its own record and proof make. */
function readStatement(
  statement: unknown,
  payload: Uint8Array,
): { logged: LoggedRecord; receiptId: string; predicateType: string } {
  checkShape(statement, STATEMENT, 'statement');
  const { predicate, predicateType, subject } = statement as StatementFile;
  const record = Uint8Array.from(Buffer.from(predicate.record, 'base64'));
  const { checkpoint, leaf_index, path } = predicate.log;
  const logged: LoggedRecord = { type: recordTypeOf(record), record, leaf_index, path, checkpoint };
  const base = predicateType.replace(/\/receipt\/v1$/, '');
  if (Buffer.compare(canonicalJson(statementOf(logged, base)), payload) !== 0)
    throw new Error('the statement does not say what its record says');
  expectLogged(logged);
  return { logged, receiptId: subject[0]!.name, predicateType };
}

interface BundleFile {
  readonly verificationMaterial: { readonly publicKey: { readonly hint: string }; readonly tlogEntries: unknown[] };
  readonly dsseEnvelope: { readonly payload: string; readonly signatures: readonly { keyid: string; sig: string }[] };
}
interface StatementFile {
  readonly subject: readonly { readonly name: string }[];
  readonly predicateType: string;
  readonly predicate: {
    readonly record: string;
    readonly log: Pick<LoggedRecord, 'checkpoint' | 'leaf_index' | 'path'>;
  };
}

const BUNDLE: Shape = {
  members: {
    mediaType: constant(BUNDLE_TYPE),
    verificationMaterial: { members: { publicKey: { members: { hint: TEXT } }, tlogEntries: [TEXT] } },
    dsseEnvelope: {
      members: {
        payload: BASE64,
        payloadType: constant(PAYLOAD_TYPE),
        signatures: [{ members: { keyid: TEXT, sig: BASE64 } }],
      },
    },
  },
};
const STATEMENT: Shape = {
  members: {
    _type: constant(STATEMENT_TYPE),
    subject: [{ members: { name: TEXT, digest: { members: { sha256: TEXT } } } }],
    predicateType: TEXT,
    predicate: {
      members: {
        kind: TEXT,
        occurred_at: TEXT,
        record: BASE64,
        log: { members: { checkpoint: TEXT, leaf_index: COUNT, origin: TEXT, path: [SHA256] } },
      },
    },
  },
};

export const isReceiptBundle = (parsed: unknown): boolean => isRecord(parsed) && parsed.mediaType === BUNDLE_TYPE;

import { canonicalJson } from '../canonical-json.js';
import { parseCheckpoint } from '../checkpoint.js';
import { BASE64, checkShape, constant, COUNT, SHA256, type Shape, TEXT } from '../shape.js';
import { sha256Digest } from '../digest.js';
import { openReceipt, openRetrieval } from '../receipt.js';
import {
  bundleShape,
  parseStatement,
  preAuthEncoding,
  readEnvelope,
  type SignedBundle,
  STATEMENT_TYPE,
  writeBundle,
} from './dsse.js';
import { expectLogged, type LoggedRecord, recordTypeOf } from './logged-record.js';
import type { Draft, KeyName, SignatureVerifier } from '../signer.js';

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
    with: (signature) => writeBundle({ material: { publicKey: { hint: kid } }, payload, keyId: kid, signature }),
  };
}

/** @throws Error for what {@link draftReceiptBundle} would not have written, and for one that proves nothing */
export function readReceiptBundle(bytes: Uint8Array, parsed: unknown): ReceiptBundle {
  checkShape(parsed, BUNDLE, 'bundle');
  const { verificationMaterial } = parsed as BundleFile;
  const { payload, keyId, ...signed } = readEnvelope(bytes, parsed as BundleFile);
  if (keyId !== verificationMaterial.publicKey.hint)
    throw new Error('there must be one signature, by the key of the hint');
  return { kid: keyId, ...readStatement(parseStatement(payload), payload), ...signed };
}

/** Whether this key signed it, and it names it. What it says of the log is another question: {@link expectLogged}. */
export const verifyReceiptBundle = ({ kid, signed, signature }: ReceiptBundle, key: SignatureVerifier): boolean =>
  kid === key.kid && key.verify(signed, signature);

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

type BundleFile = SignedBundle<{ readonly publicKey: { readonly hint: string } }>;
interface StatementFile {
  readonly subject: readonly { readonly name: string }[];
  readonly predicateType: string;
  readonly predicate: {
    readonly record: string;
    readonly log: Pick<LoggedRecord, 'checkpoint' | 'leaf_index' | 'path'>;
  };
}

const BUNDLE = bundleShape({ publicKey: { members: { hint: TEXT } } });
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

import { provesNothing } from '../auth-modes.js';
import { type BundleVerdict, unreadable } from '../bundle-verdict.js';
import { isRecord } from '../canonical-json.js';
import { parseCheckpoint, verifyCheckpoint } from '../checkpoint.js';
import { COSE_SIGN1, parseCose, verifyCose } from '../cose.js';
import { expectLogName } from '../file-keys.js';
import { checkFreshness, expectOrigin, type FreshnessDemand } from '../freshness.js';
import { openReceipt, openRetrieval, RECEIPT_CONTENT_TYPE, type RetrievalPayload } from '../receipt.js';
import type { Purpose } from '../purposes.js';
import { type AnyTrustedKey, chainKeysOf } from '../trusted-keys.js';
import { type VerificationCheck, checkBy } from '../verification-check.js';
import { decodeMessage, LABEL, verifyMessage } from './cose-message.js';
import { readCoseReceipt, verifyCoseReceipt } from './cose-receipt.js';
import { isSigstoreBundle } from './dsse.js';
import { type LoggedRecord, readEntry } from './logged-record.js';
import { readReceiptBundle, verifyReceiptBundle } from './sigstore-bundle.js';
import { readStatement } from './signed-statement.js';
import { isTlogProof, readTlogProof } from './tlog-proof.js';

type Step = readonly [name: string, look: () => string];
interface Opened {
  readonly format: string;
  readonly record?: Pick<LoggedRecord, 'type' | 'record'>;
  readonly tenantId?: string;
  readonly subjectId: string;
  readonly kids: readonly string[];
  readonly steps: readonly Step[];
  /** Of a form that carries one. */
  readonly checkpoint?: string;
  /** Of COSE receipts, which have a root and no checkpoint. */
  readonly origins?: readonly string[];
}

/** Whether the bytes begin as one of the standard forms; exports and proof packs do not. */
export const isStandardForm = (bytes: Uint8Array, parsed?: unknown): boolean =>
  isTlogProof(bytes) || bytes[0] === COSE_SIGN1 || isSigstoreBundle(parsed);

/**
 * Verifies a record in one of the standard forms, docs/formats/standard-forms.md. None of them has a key inside, so
 * without trusted keys nothing is shown.
 */
export function verifyForm(
  bytes: Uint8Array,
  trusted: readonly AnyTrustedKey[] | undefined,
  parsed?: unknown,
  freshness?: FreshnessDemand,
): BundleVerdict {
  let opened: Opened;
  const keys = new TrustedSet(trusted);
  try {
    opened = open(bytes, parsed, keys);
  } catch (error) {
    return unreadable(nameOf(bytes, parsed), error);
  }
  const { format, steps, subjectId, tenantId, kids } = opened;
  const checks: VerificationCheck[] = [
    { name: 'format', ok: true, detail: `${format}, ${bytes.length} bytes, canonical` },
  ];
  for (const [name, look] of [['keys', () => keys.describe(kids)] as Step, ...steps]) checks.push(checkBy(name, look));
  if (freshness) checks.push(judgeFreshness(opened, freshness));
  const subject = { type: 'receipt', id: subjectId };
  return {
    ok: checks.every(({ ok }) => ok),
    checks,
    format,
    tenantId: tenantId ?? null,
    subject,
    kids,
    roots: [],
    isByTrusted: checks[1]?.ok === true,
  };
}

/** What a form cannot answer is a failure: it was asked for. */
function judgeFreshness({ checkpoint, origins }: Opened, demand: FreshnessDemand): VerificationCheck {
  if (checkpoint !== undefined) return checkFreshness({ checkpoint, consistency: [] }, demand);
  return checkBy('freshness', () => {
    if (!origins) throw new Error('a record alone has no place in the log: ask for a tlog-proof or a pack');
    if (demand.checkpoint !== undefined || (demand.witnesses?.length ?? 0) > 0)
      throw new Error('a COSE receipt carries no checkpoint: ask for a tlog-proof or a pack');
    if (demand.origin !== undefined) for (const origin of origins) expectOrigin(origin, demand.origin);
    return origins.join(', ');
  });
}

class TrustedSet {
  constructor(private readonly trusted: readonly AnyTrustedKey[] | undefined) {}

  describe(kids: readonly string[]): string {
    if (this.trusted === undefined) throw new Error('this form has no key inside: give one to check it with');
    for (const kid of kids) this.read(kid);
    return `${kids.length} named, all among the trusted ones`;
  }

  /** @throws Error where no trusted key has this kid */
  private read(kid: string): AnyTrustedKey {
    const found = this.trusted?.find(({ key }) => key.kid === kid);
    if (!found) throw new Error(`key ${kid} is not among the trusted keys`);
    return found;
  }

  /** @throws Error where no trusted key has this kid, or it is trusted for other purposes alone */
  find(kid: string, purpose: Purpose): AnyTrustedKey {
    const found = this.read(kid);
    if (found.purposes?.includes(purpose) === false) throw new Error(`key ${kid} does not sign ${purpose}`);
    return found;
  }

  /** @returns the kid of the trusted key that signed the checkpoint */
  signerOf(text: string): string {
    const checkpoint = parseCheckpoint(text);
    const found = this.trusted
      ?.filter(({ purposes }) => purposes?.includes('log') !== false)
      .find(({ key }) => 'bytes' in key && verifyCheckpoint(checkpoint, key));
    if (!found) throw new Error('no trusted key signed the checkpoint');
    this.expectLogName(checkpoint.origin);
    return found.key.kid;
  }

  /** @throws Error where the trusted keys are for logs of other names */
  expectLogName(origin: string): void {
    expectLogName(origin, chainKeysOf(this.trusted ?? []));
  }
}

const nameOf = (bytes: Uint8Array, parsed: unknown): string =>
  isTlogProof(bytes) ? 'tlog-proof' : isSigstoreBundle(parsed) ? 'sigstore' : 'cose';

function open(bytes: Uint8Array, parsed: unknown, keys: TrustedSet): Opened {
  if (isTlogProof(bytes)) return openTlogProof(bytes, keys);
  if (isRecord(parsed)) return openBundle(bytes, parsed, keys);
  return openCose(bytes, keys);
}

function openTlogProof(bytes: Uint8Array, keys: TrustedSet): Opened {
  const logged = readTlogProof(bytes);
  const steps = [...recordSteps(logged, keys), ...logSteps(logged, keys)];
  return { format: 'tlog-proof', ...about(logged), steps, checkpoint: logged.checkpoint };
}

function openBundle(bytes: Uint8Array, parsed: unknown, keys: TrustedSet): Opened {
  const bundle = readReceiptBundle(bytes, parsed);
  const { logged, kid } = bundle;
  const signature = (): string => {
    const { key } = keys.find(kid, 'receipts');
    if (!verifyReceiptBundle(bundle, key)) throw new Error('the signature of the envelope does not hold');
    return `${key.algorithm} over the statement, ${bundle.predicateType}`;
  };
  const { kids, ...rest } = about(logged);
  return {
    format: 'sigstore',
    ...rest,
    kids: [...new Set([kid, ...kids])],
    steps: [['signature', signature], ...recordSteps(logged, keys), ...logSteps(logged, keys)],
    checkpoint: logged.checkpoint,
  };
}

/** A receipt as it is stored, a COSE receipt of the log, or a statement: their headers say which. */
function openCose(bytes: Uint8Array, keys: TrustedSet): Opened {
  if (isStored(bytes)) {
    const record = { type: 'execution', record: bytes } as const;
    return { format: 'cose', ...about(record), steps: recordSteps(record, keys) };
  }
  return decodeMessage(bytes).protected.has(LABEL.vds) ? openLogReceipt(bytes, keys) : openStatement(bytes, keys);
}

function isStored(bytes: Uint8Array): boolean {
  try {
    return parseCose(bytes).contentType === RECEIPT_CONTENT_TYPE;
  } catch {
    return false;
  }
}

function openLogReceipt(bytes: Uint8Array, keys: TrustedSet): Opened {
  const receipt = readCoseReceipt(bytes);
  const { type } = readEntry(receipt.entry);
  const signature = (): string => {
    const { key } = keys.find(receipt.kid, 'log');
    if (!verifyCoseReceipt(receipt, key)) throw new Error('the signature over the root of the log does not hold');
    keys.expectLogName(receipt.origin);
    return `${key.algorithm}: ${receipt.origin} has the ${type} record ${receipt.entry.split(':').slice(-2).join(':')} as leaf ${receipt.index} of ${receipt.size}`;
  };
  const { entry: subjectId, origin, kid } = receipt;
  return { format: 'cose-receipt', subjectId, kids: [kid], steps: [['signature', signature]], origins: [origin] };
}

function openStatement(bytes: Uint8Array, keys: TrustedSet): Opened {
  const statement = readStatement(bytes);
  const { message, kid, entry, logged } = statement;
  const receipts = statement.receipts.map((one) => readCoseReceipt(one));
  const signature = (): string => {
    const { key } = keys.find(kid, 'receipts');
    if (!verifyMessage(message, key, message.payload)) throw new Error('the signature of the statement does not hold');
    return `${key.algorithm}, stated by ${statement.issuer}`;
  };
  const inclusion = (): string => {
    for (const receipt of receipts) {
      if (receipt.entry !== entry) throw new Error('a receipt is of another entry of the log');
      if (!verifyCoseReceipt(receipt, keys.find(receipt.kid, 'log').key))
        throw new Error('a signature over the root of the log does not hold');
      keys.expectLogName(receipt.origin);
    }
    return receipts.map(({ origin, index, size }) => `leaf ${index} of ${size} of ${origin}`).join(', ');
  };
  const { kids, ...rest } = about(logged);
  return {
    format: 'statement',
    ...rest,
    kids: [...new Set([kid, ...kids, ...receipts.map((receipt) => receipt.kid)])],
    steps: [['signature', signature], ...recordSteps(logged, keys), ['inclusion', inclusion]],
    origins: receipts.map(({ origin }) => origin),
  };
}

function about({ type, record }: Pick<LoggedRecord, 'type' | 'record'>): {
  tenantId: string;
  subjectId: string;
  kids: readonly string[];
} {
  if (type === 'retrieval') {
    const { receiptId, payload } = openRetrieval(record);
    return { tenantId: payload.tenant_id, subjectId: receiptId, kids: [] };
  }
  const { receiptId, payload, kid } = openReceipt(record);
  return { tenantId: payload.tenant_id, subjectId: receiptId, kids: [kid] };
}

function recordSteps({ type, record }: Pick<LoggedRecord, 'type' | 'record'>, keys: TrustedSet): Step[] {
  const opened = type === 'execution' ? openReceipt(record) : openRetrieval(record);
  const payload: Pick<RetrievalPayload, 'auth_mode' | 'occurred_at'> = opened.payload;
  const look = (): string => {
    if (!('kid' in opened)) return `${opened.receiptId}, unsigned: its id is the digest of its bytes`;
    const { key, nbf = -Infinity, exp = Infinity } = keys.find(opened.kid, 'receipts');
    if (!('bytes' in key) || !verifyCose(parseCose(record), key)) throw new Error('its signature does not hold');
    const seconds = Date.parse(payload.occurred_at) / 1000;
    if (seconds < nbf || seconds >= exp) throw new Error(`${payload.occurred_at} is outside the validity of its key`);
    return `${opened.receiptId}, signed by ${opened.kid}`;
  };
  return [
    ['record', look],
    ['auth-mode', () => authModeOf(payload.auth_mode)],
  ];
}

/** That the path leads to the root was seen when the form was read. */
const logSteps = ({ checkpoint, leaf_index }: LoggedRecord, keys: TrustedSet): Step[] => [
  ['checkpoint', () => `signed by ${keys.signerOf(checkpoint)}`],
  ['inclusion', () => `leaf ${leaf_index} of ${parseCheckpoint(checkpoint).size}`],
];

function authModeOf(mode: string): string {
  if (provesNothing(mode)) throw new Error(`made under authentication mode ${mode}, which proves nothing`);
  return mode;
}

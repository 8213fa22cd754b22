import { blake3Digest } from './blake3.ts';
import { areEqual } from './bytes.ts';
import { reasonAgainst, verifyEd25519 } from './crypto.ts';
import { isWithin, KeyRing, type Jwk, type PinnedKey } from './keys.ts';
import { isSignedBy, leafOf, parseCheckpoint, rootOf, type Checkpoint } from './log.ts';
import {
  entryOf,
  messageOf,
  openReceipt,
  openSignature,
  receiptIdOf,
  toBeSigned,
  type OpenedReceipt,
  type ReceiptSignature,
} from './receipt.ts';

/** Something that was asked for, or why it is not there. */
export type Given<T> = { value: T } | { missing: string };

/** All that is checked. Nothing in it is believed. */
export interface Evidence {
  /** As it was asked for. */
  receiptId: string;
  tenant: string;
  payload: Uint8Array;
  /** The signature event; retrieval receipts have none. */
  signature: Given<Uint8Array>;
  /** The payload of the receipt that `prev` names. */
  previous: Given<Uint8Array>;
  /** The payload of the receipt that follows in the stream. */
  next: Given<Uint8Array>;
  proof: Given<{ leafIndex: number; path: readonly string[]; checkpoint: string }>;
  /** The record as the export has it, which must be the same. */
  exported: Given<Uint8Array>;
  statements: readonly Uint8Array[];
  served: readonly Jwk[];
  pinned?: PinnedKey;
}

const CHECKS = ['record', 'id', 'signature', 'key', 'previous', 'next', 'inclusion', 'checkpoint'] as const;
export type CheckName = (typeof CHECKS)[number];
export interface Check {
  name: CheckName;
  state: 'ok' | 'failed' | 'not-checked';
  /** What was found, or why it was not looked at. */
  detail: string;
}
export interface Verdict {
  /** `partial`: nothing failed, and something was not checked that could be. */
  state: 'verified' | 'failed' | 'partial';
  checks: Check[];
  receipt?: OpenedReceipt;
  kid?: string;
}

/** What a check finds. @throws Error where it fails */
type Finding = string | { skipped: string; isComplete?: true };

const missing = (reason: string): Finding => ({ skipped: reason });
/** There is nothing of this kind to check: that leaves nothing open. */
const notApplicable = (reason: string): Finding => ({ skipped: reason, isComplete: true });

/** Checks a receipt by docs/formats alone. */
export async function verifyReceipt(evidence: Evidence): Promise<Verdict> {
  const checks: Check[] = [];
  let isComplete = true;
  const check = async (name: CheckName, work: () => Finding | Promise<Finding>) => {
    try {
      const finding = await work();
      const isSkipped = typeof finding === 'object';
      if (isSkipped && !finding.isComplete) isComplete = false;
      const detail = isSkipped ? finding.skipped : finding;
      checks.push({ name, state: isSkipped ? 'not-checked' : 'ok', detail });
    } catch (error) {
      checks.push({ name, state: 'failed', detail: error instanceof Error ? error.message : String(error) });
    }
  };
  const unable = await reasonAgainst();
  const context: Context = { evidence, unable };
  for (const name of CHECKS) await check(name, () => WORK[name](context));
  const hasFailed = checks.some(({ state }) => state === 'failed');
  return {
    state: hasFailed ? 'failed' : isComplete ? 'verified' : 'partial',
    checks,
    ...(context.receipt && { receipt: context.receipt }),
    ...(context.signature && { kid: context.signature.kid }),
  };
}

/** What checks leave for those after them. */
interface Context {
  evidence: Evidence;
  unable: string | undefined;
  receipt?: OpenedReceipt;
  signature?: ReceiptSignature;
  keys?: KeyRing;
  checkpoint?: Checkpoint;
}

const WORK: Record<CheckName, (context: Context) => Finding | Promise<Finding>> = {
  record: checkRecord,
  id: checkId,
  signature: checkSignature,
  key: checkKey,
  previous: checkPrevious,
  next: checkNext,
  inclusion: checkInclusion,
  checkpoint: checkCheckpoint,
};

const UNREAD = 'the record could not be read';

function checkRecord(context: Context): Finding {
  const { payload, tenant } = context.evidence;
  const receipt = openReceipt(payload);
  context.receipt = receipt;
  if (receipt.tenant !== tenant) throw new Error(`the record is of tenant ${receipt.tenant}`);
  return `canonical CBOR of ${payload.length} bytes with the members of its format; body_hash is the digest of body`;
}

function checkId({ evidence: { receiptId, payload } }: Context): Finding {
  const digest = blake3Digest(payload);
  const isRetrieval = receiptId.startsWith('blake3:');
  const id = isRetrieval ? digest : receiptIdOf(digest);
  if (id !== receiptId) throw new Error(`the bytes of the record make the id ${id}`);
  return `BLAKE3 of the record is ${digest}`;
}

async function ringOf(context: Context): Promise<KeyRing> {
  const { pinned, served, statements } = context.evidence;
  context.keys ??= await KeyRing.of(pinned, served, statements);
  return context.keys;
}

/** Why no key can be used: without one a signature is neither right nor wrong. */
const withoutKeys = ({ evidence: { pinned, served }, unable }: Context): string | undefined =>
  unable ?? (pinned || served.length > 0 ? undefined : 'the daemon shows no keys, and none is pinned');

const isUnsigned = ({ evidence: { receiptId } }: Context): boolean => receiptId.startsWith('blake3:');

async function checkSignature(context: Context): Promise<Finding> {
  if (isUnsigned(context)) return notApplicable('retrieval receipts bear none; the log binds them');
  const { signature, payload } = context.evidence;
  if ('missing' in signature) return missing(signature.missing);
  const opened = openSignature(signature.value, blake3Digest(payload));
  context.signature = opened;
  const reason = withoutKeys(context);
  if (reason) return missing(reason);
  const key = (await ringOf(context)).find(opened.kid);
  if (!key) throw new Error(`no trusted key, and none that one of them names, is ${opened.kid}`);
  if (!(await verifyEd25519(key.bytes, opened.signature, toBeSigned(opened, payload))))
    throw new Error(`Ed25519 by key ${opened.kid} does not hold over these bytes`);
  return `Ed25519 by key ${opened.kid}`;
}

async function checkKey(context: Context): Promise<Finding> {
  if (isUnsigned(context)) return notApplicable('no key signs retrieval receipts');
  if (!context.signature || !context.receipt) return missing('the signature or the record could not be read');
  const reason = withoutKeys(context);
  if (reason) return missing(reason);
  const key = (await ringOf(context)).find(context.signature.kid);
  if (!key) throw new Error(`key ${context.signature.kid} is not trusted`);
  const { occurredAt } = context.receipt;
  if (!isWithin(key.terms.get('receipts'), Date.parse(occurredAt) / 1_000))
    throw new Error(`the key did not sign receipts at ${occurredAt}`);
  return {
    pinned: 'it is the key that you pinned',
    statement: 'the key that you pinned leads to it by signed statements',
    served: 'it is a key that the daemon serves: pin one from elsewhere to trust no answer of the daemon',
  }[key.from];
}

function checkPrevious({ evidence, receipt }: Context): Finding {
  if (evidence.receiptId.startsWith('blake3:')) return notApplicable('retrieval receipts are in no chain');
  if (!receipt) return missing(UNREAD);
  if (receipt.prev === null) return `the first of stream ${receipt.stream}: nothing stands before it`;
  if ('missing' in evidence.previous) return missing(evidence.previous.missing);
  expectNeighbours(openReceipt(evidence.previous.value), receipt);
  return `prev is the digest of number ${receipt.seq! - 1} of stream ${receipt.stream}`;
}

function checkNext({ evidence, receipt }: Context): Finding {
  if (evidence.receiptId.startsWith('blake3:')) return notApplicable('retrieval receipts are in no chain');
  if (!receipt) return missing(UNREAD);
  if ('missing' in evidence.next) return notApplicable(evidence.next.missing);
  expectNeighbours(receipt, openReceipt(evidence.next.value));
  return `number ${receipt.seq! + 1} of the stream names this record's digest`;
}

function expectNeighbours(first: OpenedReceipt, second: OpenedReceipt): void {
  if (second.prev !== first.payloadHash)
    throw new Error(`prev of number ${second.seq} is ${second.prev}, and number ${first.seq} is ${first.payloadHash}`);
  if (first.tenant !== second.tenant || first.stream !== second.stream || first.seq! + 1 !== second.seq)
    throw new Error(`number ${first.seq} of ${first.stream} is not before ${second.seq} of ${second.stream}`);
}

async function checkInclusion(context: Context): Promise<Finding> {
  const { proof, payload, exported } = context.evidence;
  if ('missing' in proof) return missing(proof.missing);
  context.checkpoint = parseCheckpoint(proof.value.checkpoint);
  if (!isUnsigned(context) && !context.signature) return missing('the signature could not be read');
  if (context.unable) return missing(context.unable);
  const record = context.signature ? messageOf(context.signature, payload) : payload;
  if ('value' in exported && !areEqual(exported.value, record))
    throw new Error('the export has other bytes of the record than the daemon shows');
  const { size, root, origin } = context.checkpoint;
  const { leafIndex, path } = proof.value;
  const leaf = await leafOf(entryOf(isUnsigned(context) ? 'retrieval' : 'execution', record));
  if (!areEqual(await rootOf(leaf, leafIndex, size, path), root))
    throw new Error('the path does not lead from the record to the root of the checkpoint');
  return `leaf ${leafIndex} of ${size} in ${origin}, by a path of ${path.length} hashes`;
}

async function checkCheckpoint(context: Context): Promise<Finding> {
  const { proof, pinned } = context.evidence;
  if ('missing' in proof) return missing(proof.missing);
  if (!context.checkpoint) throw new Error('the checkpoint could not be read');
  const reason = withoutKeys(context);
  if (reason) return missing(reason);
  const { origin, size } = context.checkpoint;
  if (pinned?.logName && pinned.logName !== origin && pinned.logName !== origin.replace(/\/\d+$/, ''))
    throw new Error(`the key was pinned for the log ${pinned.logName}, and this one is ${origin}`);
  const found: string[] = [];
  for (const { kid, bytes } of (await ringOf(context)).of('log')) {
    const isSigned = await isSignedBy(context.checkpoint, bytes);
    if (isSigned === false) throw new Error(`the signature of key ${kid} on the checkpoint does not hold`);
    if (isSigned) found.push(kid);
  }
  if (found.length === 0) throw new Error('no trusted key for the log has signed the checkpoint');
  return `${origin}, ${size} leaves, signed by key ${found.join(', ')}`;
}

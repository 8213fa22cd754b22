import { Choice, Flag, FreeObject, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { RECORD_ERRORS, type RecordError } from '../../../common/evidence-log/record-errors.types.js';

const FAMILIES = ['execution', 'retrieval'] as const;
type Family = (typeof FAMILIES)[number];
const RECEIPT_ID = 'UUID of an execution receipt, or `blake3:<hex>` of a retrieval receipt.';
const TIME = 'RFC 3339, UTC.';

export class ReceiptListQuery {
  @Text({
    about: "The tenant whose receipts are listed; X-Svc-Tenant-Id's, or that of the credential, unless given.",
    optional: true,
    min: 1,
    max: 120,
  })
  tenant_id?: string;

  @Text({
    about: 'The next_cursor of the page before: what is older than that. Absent for the newest.',
    optional: true,
    min: 1,
    max: 2048,
  })
  before?: string;

  @Integer({ about: 'How many receipts at most.', min: 1, max: 200, default: 50 })
  limit!: number;

  @Text({
    about: 'Only receipts of this kind: `stream.appended`; `retrieval` for retrieval receipts.',
    optional: true,
    min: 1,
    max: 200,
  })
  kind?: string;

  @Text({
    about: 'Only what this principal did: a passport id, or an actor in full (`passport:<id>`, `key:<id>`).',
    optional: true,
    min: 1,
    max: 300,
  })
  principal?: string;

  @Text({
    about: 'Only receipts whose body has this session_id: the X-Svc-Session-Id of the request that left them.',
    optional: true,
    min: 1,
    max: 500,
  })
  session?: string;
}

export class ReceiptRow {
  @Text({ about: RECEIPT_ID })
  receipt_id!: string;

  @Choice({
    about: 'execution: signed and chained. retrieval: addressed by its content, unsigned.',
    values: FAMILIES,
  })
  family!: Family;

  @Text({ about: 'What happened; `retrieval` for retrieval receipts.' })
  kind!: string;

  @Text({ about: 'Who acted.', example: 'passport:alice' })
  principal!: string;

  @Text({ about: 'What it is about; null for retrieval receipts.', nullable: true })
  subject!: string | null;

  @Text({ about: 'The session_id of its body; null where the request named no session.', nullable: true })
  session!: string | null;

  @Text({ about: 'The chain it is a link of; null for retrieval receipts.', nullable: true })
  stream!: string | null;

  @Integer({ about: 'Its place in that chain, from 1; null for retrieval receipts.', nullable: true })
  seq!: number | null;

  @Text({
    about:
      'How the actor was authenticated, as the receipt says. `off`, and what begins with `dev`, proves nothing. Null when the record cannot be read.',
    nullable: true,
  })
  auth_mode!: string | null;

  @Text({ about: `When it happened. ${TIME}` })
  occurred_at!: string;

  @Text({ about: `When this database took it. ${TIME}` })
  ingested_at!: string;

  @Text({ about: 'BLAKE3 of the payload, `blake3:<hex>`.' })
  payload_hash!: string;
}

export class ReceiptPage {
  @ListOf({ about: 'Newest first.', type: () => ReceiptRow })
  rows!: ReceiptRow[];

  @Integer({ about: 'How many rows this page has.' })
  returned!: number;

  @Integer({ about: 'How many receipts the filters let through, on all pages.' })
  matched!: number;

  @Text({ about: '`before` of the next page; null on the last.', nullable: true })
  next_cursor!: string | null;

  @Flag({ about: 'Whether there are older ones.' })
  has_more!: boolean;

  @FreeObject({ about: 'Of the receipts matched, how many are of each kind.', example: { 'stream.appended': 3 } })
  kind_counts!: Record<string, number>;

  @FreeObject({
    about: 'Of the receipts matched, how many each principal made: of the thousand that made most.',
    example: { 'passport:alice': 3 },
  })
  principal_counts!: Record<string, number>;
}

export class ReceiptPath {
  @Text({ about: RECEIPT_ID, min: 1, max: 200 })
  receiptId!: string;
}

export class OfTenant {
  @TenantIdMember('The tenant whose receipt it is.')
  tenant_id!: string;
}

/** A receipt, or the event of its signing, with its bytes. */
export class ReceiptEnvelope {
  @Text({ about: 'Whose it is.' })
  tenant_id!: string;

  @Text({ about: RECEIPT_ID })
  receipt_id!: string;

  @Integer({ about: 'Its place in its chain, from 1; null for retrieval receipts, which are in none.', nullable: true })
  seq!: number | null;

  @Text({ about: `When it happened. ${TIME}` })
  occurred_at!: string;

  @Text({ about: `When this database took it. ${TIME}` })
  ingested_at!: string;

  @Text({ about: 'Of the payload.', example: 'application/vnd.svc.receipt+cbor' })
  content_type!: string;

  @Text({ about: 'The payload: deterministic CBOR, base64 with padding.' })
  payload_base64!: string;

  @Text({ about: 'BLAKE3 of the bytes of the payload, `blake3:<hex>`.' })
  payload_hash!: string;
}

/** One check of a receipt. */
export class ReceiptFinding {
  @Flag({ about: 'Whether it holds; null where there is nothing to check, as detail says.', nullable: true })
  ok!: boolean | null;

  @Choice({ about: 'What is wrong; OK where nothing is.', values: RECORD_ERRORS })
  error_code!: RecordError;

  @Text({ about: 'What was found.' })
  detail!: string;
}

export class SignatureFinding extends ReceiptFinding {
  @Text({ about: 'The key that the receipt names.', nullable: true })
  kid!: string | null;
}

export class LogFinding extends ReceiptFinding {
  @Integer({ about: 'Its leaf in the transparency log.', nullable: true })
  leaf_index!: number | null;

  @Integer({ about: 'The size of the log that inclusion was proved in.', nullable: true })
  tree_size!: number | null;
}

export class VerificationReport {
  @Text({ about: 'Whose receipt it is.' })
  tenant_id!: string;

  @Text({ about: RECEIPT_ID })
  receipt_id!: string;

  @Choice({ about: 'The family it is of.', values: FAMILIES })
  family!: Family;

  @Flag({ about: 'Whether every check that applies holds.' })
  verified!: boolean;

  @Flag({ about: 'Whether the signature holds; null for retrieval receipts, which have none.', nullable: true })
  signature_valid!: boolean | null;

  @Choice({ about: 'The first check that fails; OK where all hold.', values: RECORD_ERRORS })
  error_code!: RecordError;

  @Text({ about: 'How the actor was authenticated; null when the record cannot be read.', nullable: true })
  auth_mode!: string | null;

  @Flag({
    about:
      'Whether the actor was authenticated at all: false under the modes off and dev_scopes, which trust the caller, and of a record that is not verified. No receipt proves that an agent did what it says it did.',
  })
  actor_authenticated!: boolean;

  @Nested({ about: 'Form, identity, and the row held against what was signed.', type: () => ReceiptFinding })
  record!: ReceiptFinding;

  @Nested({ about: 'The Ed25519 signature.', type: () => SignatureFinding })
  signature!: SignatureFinding;

  @Nested({
    about: 'The hash chain: the receipt before is what this one names, the one after names this one.',
    type: () => ReceiptFinding,
  })
  chain!: ReceiptFinding;

  @Nested({ about: 'Inclusion in the log, proved up to the signed checkpoint.', type: () => LogFinding })
  log!: LogFinding;
}

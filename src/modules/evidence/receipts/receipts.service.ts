import { Injectable } from '@nestjs/common';
import { provesNothing } from '../../../evidence/auth-modes.js';
import { type CborMap, encodeCanonical } from '../../../evidence/cbor.js';
import { type CoseSign1, parseCose } from '../../../evidence/cose.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { actorNamed } from '../../../common/evidence-log/actor-names.js';
import { EvidenceRecords, type StoredRecord } from '../../../common/evidence-log/evidence-records.js';
import { ReceiptUnknown } from '../../../common/evidence-log/evidence-log.problems.js';
import {
  ES256_RECEIPT_TYPE,
  FORM_TYPES,
  type FormAlgorithm,
  RECEIPT_FORMS,
  type ReceiptForm,
  ReceiptForms,
} from '../../../common/evidence-log/receipt-forms.js';
import { type RecordFinding, firstError, RecordChecks } from '../../../common/evidence-log/record-checks.js';
import {
  openReceipt,
  openRetrieval,
  RECEIPT_CONTENT_TYPE,
  RETRIEVAL_CONTENT_TYPE,
  SIGNATURE_CONTENT_TYPE,
} from '../../../evidence/receipt.js';
import { takePage } from '../../../common/fields/cursor.js';
import { preferredType } from '../../../common/http/accept.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { ReceiptListStore, type CountOfReceipts, type ListedReceipt } from './receipt-list.store.js';
import type {
  ReceiptEnvelope,
  ReceiptFinding,
  ReceiptListQuery,
  ReceiptPage,
  ReceiptRow,
  VerificationReport,
} from './receipts.dto.js';
import { NotAcceptable, ReceiptDamaged, ReceiptUnsigned } from './receipts.problems.js';
import { cursorKeyOf, positionOf } from './receipts.rules.js';
import { CBOR, COSE, JSON_TYPE, type Shown, type WantedReceipt } from './receipts.types.js';

/** Principals whose counts are returned. */
const MAX_PRINCIPALS = 1000;

/** Receipts of the tenant that the caller names, or works in. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly records: EvidenceRecords,
    private readonly checks: RecordChecks,
    private readonly store: ReceiptListStore,
    private readonly forms: ReceiptForms,
  ) {}

  async list(caller: DaemonCaller, query: ReceiptListQuery): Promise<ReceiptPage> {
    const { tenant_id, limit, kind, session } = query;
    const principal = query.principal === undefined ? undefined : actorNamed(query.principal);
    const filter = { kind, principal, session, before: positionOf(query.before), limit };
    const found = await this.tenants.run(caller, tenant_id, () => this.store.list(filter));
    const { page, has_more, next_cursor } = takePage(found.rows, limit, cursorKeyOf);
    return {
      rows: page.map(rowOf),
      returned: page.length,
      matched: found.counts.reduce((sum, { receipts }) => sum + receipts, 0),
      next_cursor,
      has_more,
      kind_counts: countBy(found.counts, ({ kind: of }) => of),
      principal_counts: countBy(found.counts, ({ principal: of }) => of),
    };
  }

  /** @throws ReceiptUnknown, NotAcceptable, AlgorithmAbsent, ReceiptDamaged */
  async read(caller: DaemonCaller, { tenantId, receiptId, accept }: WantedReceipt): Promise<Shown> {
    const stored = await this.find(caller, tenantId, receiptId);
    const own = stored.family === 'execution' ? [JSON_TYPE, CBOR, COSE] : [JSON_TYPE, CBOR];
    const chosen = choose(accept, [...own, ...Object.values(FORM_TYPES), ES256_RECEIPT_TYPE]);
    if (chosen === ES256_RECEIPT_TYPE)
      return { contentType: chosen, body: await this.formOf(stored, 'cose-receipt', 'es256') };
    const form = RECEIPT_FORMS.find((name) => FORM_TYPES[name] === chosen);
    if (form !== undefined) return { contentType: chosen, body: await this.formOf(stored, form) };
    if (chosen === COSE) return { contentType: `${COSE}; cose-type="cose-sign1"`, body: stored.record };
    const payload = stored.family === 'execution' ? signedPayloadOf(stored).payload : stored.record;
    if (chosen === CBOR) return { contentType: CBOR, body: payload };
    const contentType = stored.family === 'execution' ? RECEIPT_CONTENT_TYPE : RETRIEVAL_CONTENT_TYPE;
    return { body: envelopeOf(tenantId, stored, contentType, payload) };
  }

  /** @throws ReceiptUnknown, ReceiptUnsigned, NotAcceptable, ReceiptDamaged */
  async readSignature(caller: DaemonCaller, { tenantId, receiptId, accept }: WantedReceipt): Promise<Shown> {
    const stored = await this.find(caller, tenantId, receiptId);
    if (stored.family === 'retrieval')
      throw new ReceiptUnsigned(
        { receipt_id: receiptId },
        'A retrieval receipt has no signature: its id is the digest of its bytes, and the log holds it.',
      );
    const payload = encodeCanonical(signatureEventOf(receiptId, signedPayloadOf(stored)));
    if (choose(accept, [JSON_TYPE, CBOR]) === CBOR) return { contentType: CBOR, body: payload };
    return { body: envelopeOf(tenantId, stored, SIGNATURE_CONTENT_TYPE, payload) };
  }

  /** @throws ReceiptUnknown */
  async verify(caller: DaemonCaller, tenantId: string, receiptId: string): Promise<VerificationReport> {
    return this.tenants.run(caller, tenantId, async () => {
      const stored = await this.findStored(receiptId);
      const report = await this.checks.check(stored);
      const error_code = firstError(report);
      const { record, signature, chain, log, authMode } = report;
      return {
        tenant_id: tenantId,
        receipt_id: receiptId,
        family: stored.family,
        verified: error_code === 'OK',
        signature_valid: signature.ok,
        error_code,
        auth_mode: authMode,
        actor_authenticated: error_code === 'OK' && authMode !== null && !provesNothing(authMode),
        record: findingOf(record),
        signature: { ...findingOf(signature), kid: signature.kid },
        chain: findingOf(chain),
        log: { ...findingOf(log), leaf_index: log.leafIndex, tree_size: log.treeSize },
      };
    });
  }

  private formOf(stored: StoredRecord, form: ReceiptForm, algorithm?: FormAlgorithm): Promise<Uint8Array> {
    if (stored.family === 'execution') signedPayloadOf(stored);
    return this.forms.make(stored, form, algorithm);
  }

  private find(caller: DaemonCaller, tenantId: string, receiptId: string): Promise<StoredRecord> {
    return this.tenants.run(caller, tenantId, () => this.findStored(receiptId));
  }

  private async findStored(receiptId: string): Promise<StoredRecord> {
    const stored = await this.records.find(receiptId);
    if (stored) return stored;
    throw new ReceiptUnknown({ receiptId }, 'No receipt with this id belongs to the tenant.');
  }
}

function choose(accept: string | undefined, offered: readonly string[]): string {
  const chosen = preferredType(accept, offered);
  if (chosen !== undefined) return chosen;
  throw new NotAcceptable({ offered }, `Send Accept with one of: ${offered.join(', ')}`);
}

function signedPayloadOf({ receiptId, record }: StoredRecord): CoseSign1 & { payload: Uint8Array } {
  try {
    const message = parseCose(record);
    if (message.payload !== null) return { ...message, payload: message.payload };
  } catch {
    // Reported below, like a message without its payload.
  }
  const detail = 'Its bytes were changed in the database; GET .../verification says what of it still holds.';
  throw new ReceiptDamaged({ receipt_id: receiptId }, detail);
}

/** docs/formats/receipts.md, "Signature event". */
const signatureEventOf = (receiptId: string, message: CoseSign1 & { payload: Uint8Array }): CborMap => ({
  v: 1,
  kind: 'receipt.signature',
  receipt_id: receiptId,
  algorithm: 'EdDSA',
  curve: 'Ed25519',
  kid: message.kid,
  protected: message.protectedHeader,
  signature: message.signature,
  payload_hash: blake3Digest(message.payload),
});

const envelopeOf = (
  tenantId: string,
  stored: StoredRecord,
  contentType: string,
  payload: Uint8Array,
): ReceiptEnvelope => ({
  tenant_id: tenantId,
  receipt_id: stored.receiptId,
  seq: stored.family === 'execution' ? stored.seq : null,
  occurred_at: stored.occurredAt.toISOString(),
  ingested_at: stored.ingestedAt.toISOString(),
  content_type: contentType,
  payload_base64: Buffer.from(payload).toString('base64'),
  payload_hash: blake3Digest(payload),
});

const findingOf = ({ ok, code, detail }: RecordFinding): ReceiptFinding => ({ ok, error_code: code, detail });

function rowOf(row: ListedReceipt): ReceiptRow {
  const { family, kind, actor, subject, session, stream, seq, occurred_at, ingested_at } = row;
  const digest = `blake3:${row.digest}`;
  return {
    receipt_id: row.receipt_id ?? digest,
    family,
    kind,
    principal: actor,
    subject,
    session,
    stream,
    seq,
    auth_mode: authModeOf(row),
    occurred_at,
    ingested_at,
    payload_hash: digest,
  };
}

function authModeOf({ family, record }: ListedReceipt): string | null {
  const bytes = Buffer.from(record, 'base64');
  try {
    return (family === 'execution' ? openReceipt(bytes) : openRetrieval(bytes)).payload.auth_mode;
  } catch {
    return null;
  }
}

function countBy(counts: CountOfReceipts[], nameOf: (count: CountOfReceipts) => string): Record<string, number> {
  const sums = new Map<string, number>();
  for (const count of counts) sums.set(nameOf(count), (sums.get(nameOf(count)) ?? 0) + count.receipts);
  const most = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, MAX_PRINCIPALS);
  return Object.fromEntries(most);
}

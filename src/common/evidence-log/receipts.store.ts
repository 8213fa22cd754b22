import { Inject, Injectable } from '@nestjs/common';
import { isWrittenUuid } from '../ids/uuid-form.js';
import type { OutboxRow } from '../outbox/outbox.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { BLAKE3_DIGEST } from '../../evidence/digest-forms.js';
import { blake3, type Digest, digestBytes, namedDigest } from '../../evidence/digest.js';
import type { RetrievalRecord, SignedReceipt } from '../../evidence/receipt.js';
import { sessionOf } from './receipt-bodies.js';

/** The end of a stream: seq 0 and no hash before its first receipt. */
export interface StreamHead {
  readonly stream: string;
  readonly seq: number;
  readonly payloadHash: Uint8Array | null;
}

/** The receipts of the open unit of work's tenant. */
@Injectable()
export class ReceiptsStore {
  constructor(@Inject(Tenancy) private readonly tenancy: Pick<Tenancy, 'tenant' | 'query' | 'send' | 'execute'>) {}

  /**
   * The heads of these streams, locked until the unit of work ends, in one order for all callers, so that two writers
   * never wait for each other in a circle.
   */
  async lockHeads(streams: readonly string[]): Promise<Map<string, StreamHead>> {
    const heads = await this.selectHeads(streams);
    if (heads.size === streams.length) return heads;
    await this.tenancy.query(
      `insert into receipt_head (tenant_id, stream, seq)
       select $1, stream, 0 from unnest($2::text[]) stream order by stream on conflict do nothing`,
      [this.tenancy.tenant, streams],
    );
    return this.selectHeads(streams);
  }

  /** Adds receipts and events, moves the heads and hands the records to the log, in one statement. */
  append(receipts: readonly SignedReceipt[], heads: readonly StreamHead[], events: readonly OutboxRow[] = []): void {
    this.tenancy.send('select svc_append_receipts($1, $2, $3, $4)', [
      this.tenancy.tenant,
      JSON.stringify(receipts.map(rowOf)),
      JSON.stringify(heads.map(({ stream, seq, payloadHash }) => ({ stream, seq, payload_hash: bytea(payloadHash) }))),
      JSON.stringify(events),
    ]);
  }

  /** Adds retrieval receipts and stores retrievals, in the open unit of work or alone, in one statement. */
  async appendRetrievals(
    tenantId: string,
    receipts: readonly RetrievalRecord[],
    retrievals: readonly object[],
  ): Promise<void> {
    const parameters = [tenantId, JSON.stringify(receipts.map(retrievalRowOf)), JSON.stringify(retrievals)];
    await this.tenancy.execute('select svc_record_retrievals($1, $2, $3)', parameters, tenantId);
  }

  /** The COSE_Sign1 messages of these receipts, by id; unknown ids, and what is no UUID, are missing. */
  async findReceipts(receiptIds: readonly string[]): Promise<Map<string, Uint8Array>> {
    const rows = await this.tenancy.query<{ receipt_id: string; cose: Buffer }>(
      `select receipt_id, cose from receipt where receipt_id = any($1::uuid[])`,
      [receiptIds.filter(isWrittenUuid)],
    );
    return new Map(rows.map((row) => [row.receipt_id, row.cose]));
  }

  /** The CBOR of these retrieval receipts, by id (`blake3:<hex>`); unknown ids, and what is no such id, are missing. */
  async findRetrievals(receiptIds: readonly string[]): Promise<Map<string, Uint8Array>> {
    const digests = receiptIds.filter((id) => BLAKE3_DIGEST.test(id)).map((id) => digestBytes('blake3', id));
    const rows = await this.tenancy.query<{ record_digest: Buffer; record: Buffer }>(
      `select record_digest, record from retrieval_receipt where record_digest = any($1::bytea[])`,
      [digests],
    );
    return new Map(rows.map((row) => [namedDigest('blake3', row.record_digest), row.record]));
  }

  /** Ids of the receipts about a subject, oldest first. */
  async findIdsBySubject(subject: string): Promise<{ receiptId: string; kind: string }[]> {
    const rows = await this.tenancy.query<{ receipt_id: string; kind: string }>(
      `select receipt_id, kind from receipt where subject = $1 order by stream, seq`,
      [subject],
    );
    return rows.map((row) => ({ receiptId: row.receipt_id, kind: row.kind }));
  }

  private async selectHeads(streams: readonly string[]): Promise<Map<string, StreamHead>> {
    const rows = await this.tenancy.query<{ stream: string; seq: string; payload_hash: Buffer | null }>(
      `select stream, seq, payload_hash from receipt_head
       where tenant_id = $1 and stream = any($2::text[]) order by stream for update`,
      [this.tenancy.tenant, streams],
    );
    return new Map(
      rows.map(({ stream, seq, payload_hash }) => [stream, { stream, seq: Number(seq), payloadHash: payload_hash }]),
    );
  }
}

const bytea = (bytes: Uint8Array | null): string | null => bytes && `\\x${Buffer.from(bytes).toString('hex')}`;
const digestOf = (digest: Digest | null): string | null => digest && `\\x${digest.slice(digest.indexOf(':') + 1)}`;

/** A receipt as svc_append_receipts takes it. */
const rowOf = ({ receiptId, payload, payloadHash, cose }: SignedReceipt) => ({
  receipt_id: receiptId,
  stream: payload.stream,
  seq: payload.seq,
  prev_hash: digestOf(payload.prev),
  payload_hash: digestOf(payloadHash),
  kind: payload.kind,
  actor: payload.actor,
  subject: payload.subject,
  occurred_at: payload.occurred_at,
  cose: bytea(cose),
  digest: bytea(blake3(cose)),
  session: sessionOf(payload.body),
});

/** A retrieval receipt as svc_record_retrievals takes it. */
const retrievalRowOf = ({ receiptId, payload, bytes }: RetrievalRecord) => ({
  digest: digestOf(receiptId),
  record: bytea(bytes),
  actor: payload.actor,
  occurred_at: payload.occurred_at,
  session: sessionOf(payload.body),
});

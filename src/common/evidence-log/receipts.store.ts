import { Inject, Injectable } from '@nestjs/common';
import { Tenancy } from '../tenancy/tenancy.js';
import { blake3, digestBytes, namedDigest } from '../../evidence/digest.js';
import type { CborMap } from '../../evidence/cbor.js';
import type { RetrievalPayload, SignedReceipt } from '../../evidence/receipt.js';

/** The end of a stream: seq 0 and no hash before its first receipt. */
export interface StreamHead {
  readonly stream: string;
  readonly seq: number;
  readonly payloadHash: Uint8Array | null;
}

/** The receipts of the open unit of work's tenant. */
@Injectable()
export class ReceiptsStore {
  constructor(@Inject(Tenancy) private readonly tenancy: Pick<Tenancy, 'tenant' | 'query'>) {}

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

  /** Adds receipts, moves the heads and hands the records to the log, in one statement. */
  async append(receipts: readonly SignedReceipt[], heads: readonly StreamHead[]): Promise<void> {
    const payloads = receipts.map((receipt) => receipt.payload);
    await this.tenancy.query(APPEND, [
      this.tenancy.tenant,
      receipts.map((receipt) => receipt.receiptId),
      payloads.map((payload) => payload.stream),
      payloads.map((payload) => payload.seq),
      payloads.map((payload) => (payload.prev === null ? null : digestBytes('blake3', payload.prev))),
      receipts.map((receipt) => digestBytes('blake3', receipt.payloadHash)),
      payloads.map((payload) => payload.kind),
      payloads.map((payload) => payload.actor),
      payloads.map((payload) => payload.subject),
      payloads.map((payload) => payload.occurred_at),
      receipts.map((receipt) => Buffer.from(receipt.cose)),
      receipts.map((receipt) => Buffer.from(blake3(receipt.cose))),
      heads.map((head) => head.stream),
      heads.map((head) => head.seq),
      heads.map((head) => head.payloadHash),
      payloads.map((payload) => sessionOf(payload.body)),
    ]);
  }

  async appendRetrieval(digest: Uint8Array, record: Uint8Array, payload: RetrievalPayload): Promise<void> {
    await this.tenancy.query(
      `with logged as (insert into log_pending (record_type, record_digest) values ('retrieval', $2))
       insert into retrieval_receipt (tenant_id, record_digest, record, actor, occurred_at, session) values ($1, $2, $3, $4, $5, $6)`,
      [this.tenancy.tenant, digest, Buffer.from(record), payload.actor, payload.occurred_at, sessionOf(payload.body)],
    );
  }

  /** The COSE_Sign1 messages of these receipts, by id; unknown ids, and what is no UUID, are missing. */
  async findReceipts(receiptIds: readonly string[]): Promise<Map<string, Uint8Array>> {
    const rows = await this.tenancy.query<{ receipt_id: string; cose: Buffer }>(
      `select receipt_id, cose from receipt where receipt_id = any($1::uuid[])`,
      [receiptIds.filter((id) => UUID.test(id))],
    );
    return new Map(rows.map((row) => [row.receipt_id, row.cose]));
  }

  /** The CBOR of these retrieval receipts, by id (`blake3:<hex>`); unknown ids, and what is no such id, are missing. */
  async findRetrievals(receiptIds: readonly string[]): Promise<Map<string, Uint8Array>> {
    const digests = receiptIds.filter((id) => BLAKE3.test(id)).map((id) => digestBytes('blake3', id));
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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BLAKE3 = /^blake3:[0-9a-f]{64}$/;

/** The session that a record is of: the body's `session_id`, where it has one. Receipts are listed by it. */
const sessionOf = ({ session_id: session }: CborMap): string | null =>
  typeof session === 'string' && session !== '' ? session : null;

const APPEND = `
  with moved as (
    update receipt_head h set seq = n.seq, payload_hash = n.payload_hash
    from unnest($13::text[], $14::bigint[], $15::bytea[]) n (stream, seq, payload_hash)
    where h.tenant_id = $1 and h.stream = n.stream
  ), logged as (
    insert into log_pending (record_type, record_digest)
    select 'execution', digest from unnest($12::bytea[]) with ordinality d (digest, n) order by n
  )
  insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose,
    session)
  select $1, r.* from unnest($2::uuid[], $3::text[], $4::bigint[], $5::bytea[], $6::bytea[], $7::text[], $8::text[],
    $9::text[], $10::timestamptz[], $11::bytea[], $16::text[]) r
`;

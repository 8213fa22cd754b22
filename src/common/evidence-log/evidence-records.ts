import { Injectable } from '@nestjs/common';
import { isWrittenUuid } from '../ids/uuid-form.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { BLAKE3_DIGEST } from '../../evidence/digest-forms.js';
import { digestBytes, namedDigest } from '../../evidence/digest.js';
import { ERASED_ID } from './receipted-rows.js';
import {
  type ReceiptColumns,
  receiptColumnsOf,
  type ReceiptRow,
  type RetrievalColumns,
  retrievalColumnsOf,
  type RetrievalRow,
} from './record-faults.js';

/** A row of an execution receipt: `cose` is the receipt; the other columns repeat it for queries and prove nothing. */
export interface StoredExecution extends ReceiptColumns {
  readonly family: 'execution';
  /** When this database took it; of rows older than the column, when it occurred. */
  readonly ingestedAt: Date;
  readonly record: Uint8Array;
}
/** A row of a retrieval receipt: `record` is its CBOR. */
export interface StoredRetrieval extends RetrievalColumns {
  readonly family: 'retrieval';
  readonly ingestedAt: Date;
  readonly record: Uint8Array;
}
export type StoredRecord = StoredExecution | StoredRetrieval;

/** A receipt of a chain: its bytes, or what an erasure left of it. */
type Neighbour = { readonly cose: Uint8Array } | { readonly prevHash: string | null; readonly payloadHash: string };

/** What stands around a receipt in its stream. */
export interface Neighbours {
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
  /** Where the stream is said to end. */
  readonly head: { readonly seq: number; readonly payloadHash: string | null } | undefined;
}

/** Stored records of the open unit of work's tenant, as rows: what is in them is for the reader to check. */
@Injectable()
export class EvidenceRecords {
  constructor(private readonly tenancy: Tenancy) {}

  /** An execution receipt by its UUID, a retrieval receipt by `blake3:<hex>`; nothing for any other text. */
  async find(receiptId: string): Promise<StoredRecord | undefined> {
    return (await this.findMany([receiptId]))[0];
  }

  /** In the order of the ids; unknown ones are left out. */
  async findMany(receiptIds: readonly string[]): Promise<StoredRecord[]> {
    const executions = await this.findExecutions('receipt_id = any($1::uuid[])', [receiptIds.filter(isWrittenUuid)]);
    const retrievals = await this.findRetrievals(receiptIds.filter(isRetrievalId));
    const found = new Map([...executions, ...retrievals].map((record) => [record.receiptId, record] as const));
    return [...new Set(receiptIds)].map((id) => found.get(id)).filter((record) => record !== undefined);
  }

  /**
   * The newest of the receipts about a subject, oldest first.
   * @param batches receipts over batches that it is in
   */
  async findBySubject(subject: string, max: number, batches: readonly string[] = []): Promise<StoredExecution[]> {
    const rows = await this.findExecutions(
      '(subject = $1 or receipt_id = any($3::uuid[])) order by occurred_at desc, stream desc, seq desc limit $2',
      [subject, max, batches],
    );
    return rows.reverse();
  }

  async findNeighbours(stream: string, seq: number): Promise<Neighbours> {
    // One statement: the stream may grow between two.
    const [row] = await this.tenancy.query<NeighbourRow>(
      `select p.cose as previous, p.prev_hash as previous_prev, p.payload_hash as previous_hash,
         n.cose as next, n.prev_hash as next_prev, n.payload_hash as next_hash, h.seq, h.payload_hash
       from (select) here left join receipt_head h on h.stream = $1
       left join lateral (${PLACE('$2::bigint - 1')}) p on true left join lateral (${PLACE('$2::bigint + 1')}) n on true`,
      [stream, seq],
    );
    const { seq: last, payload_hash: hash } = row!;
    return {
      previous: neighbourOf(row!.previous, row!.previous_prev, row!.previous_hash),
      next: neighbourOf(row!.next, row!.next_prev, row!.next_hash),
      head: last === null ? undefined : { seq: Number(last), payloadHash: hash && asBlake3(hash) },
    };
  }

  private async findExecutions(where: string, parameters: unknown[]): Promise<StoredExecution[]> {
    const rows = await this.tenancy.query<ExecutionRow>(
      `select receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at,
         coalesce(ingested_at, occurred_at) as ingested_at, session, ingested_at is null as is_older, cose
       from receipt where ${where}`,
      parameters,
    );
    return rows.map((row) => ({
      ...receiptColumnsOf(row),
      family: 'execution',
      ingestedAt: row.ingested_at,
      record: row.cose,
    }));
  }

  private async findRetrievals(receiptIds: readonly string[]): Promise<StoredRetrieval[]> {
    if (receiptIds.length === 0) return [];
    const rows = await this.tenancy.query<SearchRow>(
      `select record_digest, actor, occurred_at, coalesce(ingested_at, occurred_at) as ingested_at, session, ingested_at is null as is_older, record
       from retrieval_receipt where record_digest = any($1::bytea[])`,
      [receiptIds.map((id) => digestBytes('blake3', id))],
    );
    return rows.map((row) => ({
      ...retrievalColumnsOf(row),
      family: 'retrieval',
      ingestedAt: row.ingested_at,
      record: row.record,
    }));
  }

  /** Which of these receipts of the chain were erased, by what is left of them. */
  async findErased(receiptIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.tenancy.query<{ receipt_id: string }>(ERASED, [receiptIds]);
    return new Set(rows.map(({ receipt_id }) => receipt_id));
  }
}

/** Of the tenant's receipts those that are said to be erased; whether a signed receipt says so, the look finds out. */
const ERASED = `select ${ERASED_ID} as receipt_id from erased_receipt e where e.stream is not null and ${ERASED_ID} = any($1::uuid[])`;

const isRetrievalId = (id: string): boolean => BLAKE3_DIGEST.test(id);

const asBlake3 = (hash: Uint8Array): string => namedDigest('blake3', hash);

interface ExecutionRow extends ReceiptRow {
  ingested_at: Date;
  cose: Buffer;
}

/** What stands at a place of a chain. */
const PLACE = (seq: string) => `
  select cose, null::bytea as prev_hash, null::bytea as payload_hash from receipt where stream = $1 and seq = ${seq}
  union all
  select null, prev_hash, payload_hash from erased_receipt where stream = $1 and seq = ${seq}
  limit 1`;

function neighbourOf(cose: Buffer | null, prevHash: Buffer | null, hash: Buffer | null): Neighbour | undefined {
  if (cose !== null) return { cose };
  return hash === null ? undefined : { prevHash: prevHash && asBlake3(prevHash), payloadHash: asBlake3(hash) };
}

interface NeighbourRow {
  previous: Buffer | null;
  previous_prev: Buffer | null;
  previous_hash: Buffer | null;
  next: Buffer | null;
  next_prev: Buffer | null;
  next_hash: Buffer | null;
  /** Of the head of the stream, where it has one. */
  seq: string | null;
  payload_hash: Buffer | null;
}
interface SearchRow extends RetrievalRow {
  ingested_at: Date;
  record: Buffer;
}

import { Injectable } from '@nestjs/common';
import type { CborValue } from '../../../evidence/cbor.js';
import { type Digest, namedDigest } from '../../../evidence/digest.js';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** One version of an answer, as it was recorded. */
export interface RecordedAnswer {
  answerId: string;
  version: number;
  agentId: string;
  text: string | null;
  recordedBy: string;
  recordedAt: Date;
  receiptId: string;
  /** Receipts of the search it rests on. */
  searchReceiptIds: string[];
}
/** A passage as it was cited, with what was said of it. */
export interface CitedText {
  answerId: string;
  version: number;
  ordinal: number;
  chunkId: string;
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  docVersion: number;
  title: string | null;
  url: string | null;
  content: string;
  contentHash: Digest;
  start: number | null;
  end: number | null;
  quote: string | null;
  note: string | null;
}
/** An event of the outbox. */
export interface EvidenceEventRow {
  eventId: string;
  kind: string;
  subject: string;
  data: CborValue;
  occurredAt: Date;
}

/** What is stored of answers and actions in addition to their receipts, of the open unit of work's tenant. */
@Injectable()
export class SubjectsViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** The newest versions, oldest first. */
  async findAnswers(answerId: string, max: number): Promise<RecordedAnswer[]> {
    const rows = await this.tenancy.query<AnswerRow>(
      `select answer_id, version, agent_id, answer_text, recorded_by, recorded_at, receipt_id,
         retrieval ->> 'receiptId' as retrieval_receipt_id, retrieval ->> 'executionReceiptId' as execution_receipt_id
       from answer where answer_id = $1 order by version desc limit $2`,
      [answerId, max],
    );
    return rows.reverse().map((row) => ({
      answerId: row.answer_id,
      version: row.version,
      agentId: row.agent_id,
      text: row.answer_text,
      recordedBy: row.recorded_by,
      recordedAt: row.recorded_at,
      receiptId: row.receipt_id,
      searchReceiptIds: [row.retrieval_receipt_id, row.execution_receipt_id].filter((id) => id !== null),
    }));
  }

  async findCitations(answerId: string, fromVersion: number): Promise<CitedText[]> {
    const rows = await this.tenancy.query<CitationRow>(
      `select answer_id, version, ordinal, chunk_id, owner_tenant_id, corpus_id, doc_id, doc_version, title, url, content, content_hash,
         start_offset, end_offset, quote, note
       from citation where answer_id = $1 and version >= $2 order by version, ordinal`,
      [answerId, fromVersion],
    );
    return rows.map((row) => ({
      answerId: row.answer_id,
      version: row.version,
      ordinal: row.ordinal,
      chunkId: row.chunk_id,
      ownerTenantId: row.owner_tenant_id,
      corpusId: row.corpus_id,
      docId: row.doc_id,
      docVersion: row.doc_version,
      title: row.title,
      url: row.url,
      content: row.content,
      contentHash: namedDigest('blake3', row.content_hash),
      start: row.start_offset,
      end: row.end_offset,
      quote: row.quote,
      note: row.note,
    }));
  }

  /** The receipts over batches that an ingest is in; none of any other id. */
  async findBatchesOf(ingestId: string): Promise<string[]> {
    if (!isUuid(ingestId)) return [];
    const rows = await this.tenancy.query<{ receipt_id: string }>(
      `select b.receipt_id from ingest i join ingest_batch b on b.tenant_id = i.tenant_id and b.receipt_id in (i.receipt_id, i.completed_id)
       where i.tenant_id = $1 and i.ingest_id = $2`,
      [this.tenancy.tenant, ingestId],
    );
    return rows.map(({ receipt_id }) => receipt_id);
  }

  /** The newest events about a subject, oldest first. */
  async findEvents(subject: string, max: number): Promise<EvidenceEventRow[]> {
    const rows = await this.tenancy.query<{
      event_id: string;
      kind: string;
      subject: string;
      data: CborValue;
      occurred_at: Date;
    }>(
      `select event_id, kind, subject, data, occurred_at from outbox_event
       where subject = $1 order by transaction desc, position desc limit $2`,
      [subject, max],
    );
    return rows.reverse().map((row) => ({ ...row, eventId: row.event_id, occurredAt: row.occurred_at }));
  }
}

interface AnswerRow {
  answer_id: string;
  version: number;
  agent_id: string;
  answer_text: string | null;
  recorded_by: string;
  recorded_at: Date;
  receipt_id: string;
  retrieval_receipt_id: string | null;
  execution_receipt_id: string | null;
}
interface CitationRow {
  answer_id: string;
  version: number;
  ordinal: number;
  chunk_id: string;
  owner_tenant_id: string;
  corpus_id: string;
  doc_id: string;
  doc_version: number;
  title: string | null;
  url: string | null;
  content: string;
  content_hash: Buffer;
  start_offset: number | null;
  end_offset: number | null;
  quote: string | null;
  note: string | null;
}

import { Injectable } from '@nestjs/common';
import { digestBytes, namedDigest } from '../../../evidence/digest.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { PassagePlace } from '../ingest/extraction/locations.types.js';
import type { Answer, RecordedSearch, ResolvedCitation, VisibleChunk } from './citations.types.js';

/** What a new version of an answer is made of. */
export interface NewAnswer {
  answerId: string;
  version: number;
  agentId: string;
  answerText: string | null;
  metadata: Record<string, unknown> | null;
  retrieval: RecordedSearch | null;
  receiptId: string;
  recordedBy: string;
}

const ANSWER = 'answer_id, version, agent_id, answer_text, metadata, retrieval, receipt_id, recorded_by, recorded_at';

/** Rows of answers and citations; never changed, only added. */
@Injectable()
export class CitationsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Passages the tenant may see, its own before another's of the same id. Row-level security decides what that is. */
  async findChunks(chunkIds: readonly string[]): Promise<Map<string, VisibleChunk>> {
    const rows = await this.tenancy.query<ChunkRow>(
      `select distinct on (chunk_id) chunk_id, tenant_id, corpus_id, doc_id, version, title, url, content, content_hash, shareability, retired_at is null as current, location
       from chunk where chunk_id = any($1::text[]) order by chunk_id, tenant_id <> $2`,
      [[...new Set(chunkIds)], this.tenancy.tenant],
    );
    return new Map(rows.map((row) => [row.chunk_id, chunkOf(row)]));
  }

  /** The newest version of an answer. With `lock`, no other transaction adds a version before this one ends. */
  async findAnswer(answerId: string, lock = false): Promise<Answer | undefined> {
    if (lock) await this.tenancy.lock('answer', answerId);
    const [row] = await this.tenancy.query<AnswerRow>(
      `select ${ANSWER} from answer where answer_id = $1 order by version desc limit 1`,
      [answerId],
    );
    return row && answerOf(row);
  }

  async findAnswerVersion(answerId: string, version: number): Promise<Answer | undefined> {
    const [row] = await this.tenancy.query<AnswerRow>(
      `select ${ANSWER} from answer where answer_id = $1 and version = $2`,
      [answerId, version],
    );
    return row && answerOf(row);
  }

  async findVersions(answerId: string, versions: readonly number[]): Promise<Answer[]> {
    const rows = await this.tenancy.query<AnswerRow>(
      `select ${ANSWER} from answer where answer_id = $1 and version = any($2::int[])`,
      [answerId, versions],
    );
    return rows.map(answerOf);
  }

  /** Newest versions alone, newest first. */
  async listOfProject(projectId: string, limit: number): Promise<Answer[]> {
    const rows = await this.tenancy.query<AnswerRow>(
      `select ${ANSWER} from answer a where a.tenant_id = $1 and a.metadata ->> 'project_id' = $2
         and not exists (select from answer n where n.tenant_id = a.tenant_id and n.answer_id = a.answer_id and n.version > a.version)
       order by a.recorded_at desc, a.answer_id desc limit $3`,
      [this.tenancy.tenant, projectId, limit],
    );
    return rows.map(answerOf);
  }

  /** The receipts a retrieval left; the light lane leaves none. */
  async findSearchReceipts(retrievalId: string): Promise<Pick<RecordedSearch, 'receiptId' | 'executionReceiptId'>> {
    const [row] = await this.tenancy.query<{ receipt_id: string | null; execution_receipt_id: string | null }>(
      'select receipt_id, execution_receipt_id from retrieval where retrieval_id = $1',
      [retrievalId],
    );
    return { receiptId: row?.receipt_id ?? null, executionReceiptId: row?.execution_receipt_id ?? null };
  }

  async record(answer: NewAnswer, citations: readonly ResolvedCitation[]): Promise<Date> {
    const [row] = await this.tenancy.query<{ recorded_at: Date }>(
      `insert into answer (tenant_id, answer_id, version, agent_id, answer_text, metadata, retrieval, receipt_id, recorded_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning recorded_at`,
      [
        this.tenancy.tenant,
        answer.answerId,
        answer.version,
        answer.agentId,
        answer.answerText,
        answer.metadata && JSON.stringify(answer.metadata),
        answer.retrieval && JSON.stringify(answer.retrieval),
        answer.receiptId,
        answer.recordedBy,
      ],
    );
    if (!row) throw new Error('an answer was not recorded');
    await this.recordCitations(answer, citations);
    return row.recorded_at;
  }

  private async recordCitations(answer: NewAnswer, citations: readonly ResolvedCitation[]): Promise<void> {
    const rows = citations.map(({ chunk, start, end, quote, note }, ordinal) => ({
      ordinal,
      chunk_id: chunk.chunkId,
      owner_tenant_id: chunk.ownerTenantId,
      corpus_id: chunk.corpusId,
      doc_id: chunk.docId,
      doc_version: chunk.docVersion,
      title: chunk.title,
      url: chunk.url,
      content: chunk.content,
      content_hash: `\\x${Buffer.from(digestBytes('blake3', chunk.contentHash)).toString('hex')}`,
      start_offset: start,
      end_offset: end,
      quote,
      note,
      shareability: chunk.shareability,
      location: chunk.location,
    }));
    await this.tenancy.query(
      `insert into citation (tenant_id, answer_id, version, ordinal, chunk_id, owner_tenant_id, corpus_id, doc_id, doc_version, title, url,
         content, content_hash, start_offset, end_offset, quote, note, shareability, location)
       select $1, $2, $3, c.* from json_to_recordset($4::json) as c (ordinal int, chunk_id text, owner_tenant_id text, corpus_id text, doc_id text,
         doc_version int, title text, url text, content text, content_hash bytea, start_offset int, end_offset int, quote text, note text, shareability text, location jsonb)`,
      [this.tenancy.tenant, answer.answerId, answer.version, JSON.stringify(rows)],
    );
  }

  /** The citations of one version, in their order; `current` is what it was at the recording. */
  async findCitations(answerId: string, version: number): Promise<ResolvedCitation[]> {
    return (await this.findCitationsOf(answerId, [version])).get(version) ?? [];
  }

  /** As {@link findCitations}, by version; of one that cites nothing there is none. */
  async findCitationsOf(answerId: string, versions: readonly number[]): Promise<Map<number, ResolvedCitation[]>> {
    const rows = await this.tenancy.query<CitationRow>(
      `select version as of_version, chunk_id, owner_tenant_id as tenant_id, corpus_id, doc_id, doc_version as version, title, url, content, content_hash,
         shareability, true as current, location, start_offset, end_offset, quote, note
       from citation where answer_id = $1 and version = any($2::int[]) order by ordinal`,
      [answerId, versions],
    );
    const found = new Map<number, ResolvedCitation[]>();
    for (const [version, cited] of Map.groupBy(rows, ({ of_version: version }) => version))
      found.set(version, cited.map(citationOf));
    return found;
  }
}

export interface ChunkRow {
  chunk_id: string;
  tenant_id: string;
  corpus_id: string;
  doc_id: string;
  version: number;
  title: string | null;
  url: string | null;
  content: string;
  content_hash: Buffer;
  current: boolean;
  shareability: VisibleChunk['shareability'];
  location?: PassagePlace | null;
}

interface CitationRow extends ChunkRow {
  of_version: number;
  start_offset: number | null;
  end_offset: number | null;
  quote: string | null;
  note: string | null;
}

interface AnswerRow {
  answer_id: string;
  version: number;
  agent_id: string;
  answer_text: string | null;
  metadata: Record<string, unknown> | null;
  retrieval: RecordedSearch | null;
  receipt_id: string;
  recorded_by: string;
  recorded_at: Date;
}

export const chunkOf = (row: ChunkRow): VisibleChunk => ({
  chunkId: row.chunk_id,
  ownerTenantId: row.tenant_id,
  corpusId: row.corpus_id,
  docId: row.doc_id,
  docVersion: row.version,
  title: row.title,
  url: row.url,
  content: row.content,
  contentHash: namedDigest('blake3', row.content_hash),
  current: row.current,
  shareability: row.shareability,
  location: row.location,
});

const citationOf = (row: CitationRow): ResolvedCitation => ({
  chunk: chunkOf(row),
  start: row.start_offset,
  end: row.end_offset,
  quote: row.quote,
  note: row.note,
});

const answerOf = (row: AnswerRow): Answer => ({
  answerId: row.answer_id,
  version: row.version,
  agentId: row.agent_id,
  answerText: row.answer_text,
  metadata: row.metadata,
  receiptId: row.receipt_id,
  recordedBy: row.recorded_by,
  recordedAt: row.recorded_at,
  retrieval: row.retrieval,
});

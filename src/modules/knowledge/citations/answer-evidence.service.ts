import { blake3 } from '../../../evidence/digest.js';
import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../common/evidence-log/evidence-look.types.js';
import { readBodies, type ReadReceipt } from '../../../common/evidence-log/receipt-bodies.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { findUnattested, type RecordedRows } from './citations.rules.js';
import { chunkOf, type ChunkRow } from './citations.store.js';
import type { ResolvedCitation } from './citations.types.js';

/** Answers and their citations against the receipts `answer.recorded`. */
export class AnswerEvidence implements SubjectCheck {
  readonly name = 'answers';
  readonly kinds = ['answer.recorded'];
  readonly rows = [
    {
      table: 'answer',
      receipts: `select tenant_id, receipt_id, answer_id || '/' || version as name from answer where ctid >= $1::tid and ctid < $2::tid`,
      spokenOf: answersOf,
    },
    {
      table: 'citation',
      receipts: `
        select c.tenant_id, a.receipt_id, c.answer_id || '/' || c.version as name from citation c
        left join answer a on a.tenant_id = c.tenant_id and a.answer_id = c.answer_id and a.version = c.version
        where c.ctid >= $1::tid and c.ctid < $2::tid`,
      spokenOf: answersOf,
    },
  ];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    const read = readBodies(receipts);
    const names = [
      read.map(({ tenantId }) => tenantId),
      read.map(({ body }) => body.answer_id),
      read.map(({ body }) => body.version),
    ];
    const answers = Map.groupBy(await query<AnswerRow>(ANSWERS, names), keyOf);
    const citations = Map.groupBy(await query<CitationRow>(CITATIONS, names), keyOf);
    for (const one of read) {
      const key = keyOf({
        tenant_id: one.tenantId,
        answer_id: one.body.answer_id as string,
        version: Number(one.body.version),
      });
      const fault = findFault(one, answers.get(key)?.[0], citations.get(key) ?? []);
      if (fault !== undefined)
        faultOf(one.receiptId).add(`answer of receipt ${one.receiptId} of tenant ${one.tenantId}: ${fault}`);
    }
  }
}

/** The name of the answer that a receipt speaks of. */
const answersOf = (receipt: StoredReceipt): string[] =>
  receipt.kind === 'answer.recorded'
    ? readBodies([receipt]).map(({ body }) => `${body.answer_id as string}/${Number(body.version)}`)
    : [];

function findFault(receipt: ReadReceipt, row: AnswerRow | undefined, rows: readonly CitationRow[]): string | undefined {
  const { tenantId, receiptId, body } = receipt;
  if (!row) return 'its row is gone';
  if (row.receipt_id !== receiptId) return 'its row names another receipt';
  const misplaced = rows.findIndex(({ is_misplaced }) => is_misplaced);
  if (misplaced >= 0) return `citation ${misplaced} stands in another place than its passage`;
  const altered = rows.findIndex(({ content, content_hash }) => !content_hash.equals(blake3(content)));
  if (altered >= 0) return `the passage of citation ${altered} is not the one that was cited`;
  const supersedes = typeof body.supersedes === 'string' ? body.supersedes : null;
  return findUnattested({ answer: answerOf(row), citations: rows.map(citationOf), supersedes }, receipt, tenantId);
}

interface AnswerName {
  tenant_id: string;
  answer_id: string;
  version: number;
}
interface AnswerRow extends AnswerName {
  agent_id: string;
  answer_text: string | null;
  retrieval: RecordedRows['answer']['retrieval'];
  receipt_id: string;
  recorded_by: string;
  recorded_at: Date;
}
interface CitationRow extends AnswerName {
  owner_tenant_id: string;
  chunk_id: string;
  corpus_id: string;
  doc_id: string;
  doc_version: number;
  title: string | null;
  url: string | null;
  content: string;
  content_hash: Buffer;
  shareability: ChunkRow['shareability'];
  start_offset: number | null;
  end_offset: number | null;
  quote: string | null;
  note: string | null;
  /** Its passage is there, and stands elsewhere in its file. */
  is_misplaced: boolean;
}

const keyOf = ({ tenant_id, answer_id, version }: AnswerName): string =>
  JSON.stringify([tenant_id, answer_id, version]);

const answerOf = (row: AnswerRow): RecordedRows['answer'] => ({
  answerId: row.answer_id,
  version: row.version,
  agentId: row.agent_id,
  answerText: row.answer_text,
  retrieval: row.retrieval,
  recordedBy: row.recorded_by,
  recordedAt: row.recorded_at,
});

const citationOf = (row: CitationRow): ResolvedCitation => ({
  chunk: chunkOf({ ...row, tenant_id: row.owner_tenant_id, version: row.doc_version, current: true }),
  start: row.start_offset,
  end: row.end_offset,
  quote: row.quote,
  note: row.note,
});

const NAMED = 'unnest($1::text[], $2::text[], $3::int[]) n (tenant_id, answer_id, version)';
const ANSWERS = `
  select a.tenant_id, a.answer_id, a.version, a.agent_id, a.answer_text, a.retrieval, a.receipt_id,
    a.recorded_by, a.recorded_at
  from ${NAMED} join answer a using (tenant_id, answer_id, version)`;
const CITATIONS = `
  select c.tenant_id, c.answer_id, c.version, c.owner_tenant_id, c.chunk_id, c.corpus_id, c.doc_id, c.doc_version, c.title, c.url, c.content,
    c.content_hash, c.shareability, c.start_offset, c.end_offset, c.quote, c.note,
    p.chunk_id is not null and p.location is distinct from c.location as is_misplaced
  from ${NAMED} join citation c using (tenant_id, answer_id, version)
    left join lateral (
      select p.chunk_id, p.location from chunk p
      where p.tenant_id = c.owner_tenant_id and p.chunk_id = c.chunk_id and p.version = c.doc_version limit 1
    ) p on true
  order by c.tenant_id, c.answer_id, c.version, c.ordinal`;

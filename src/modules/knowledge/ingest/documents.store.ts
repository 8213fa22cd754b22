import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Shareability } from './analysis/analysis.types.js';

export interface CorpusRow {
  corpus_id: string;
  language: string;
  documents: number;
  created_at: Date;
}

export interface DocumentRow {
  corpus_id: string;
  doc_id: string;
  version: number;
  title: string;
  url: string | null;
  shareability: Shareability;
  metadata: Record<string, unknown> | null;
  content_hash: Buffer;
  chunk_count: number;
  created_at: Date;
  updated_at: Date;
  /** Microseconds since 1970: what a timestamp's order is by. */
  updated_us: number;
}

/** A document with its text. */
export type ReadDocument = DocumentRow & { content: string; source_suggestion_id: string | null; quarantined: boolean };

export interface DocumentFilter {
  corpusId?: string;
  shareability?: Shareability;
  /** Milliseconds since 1970. */
  updatedSinceMs?: number;
}

/** Last row of the page before: updated_us, corpus_id, doc_id. */
export type DocumentPosition = [number, string, string];

const COLUMNS = `d.corpus_id, d.doc_id, v.version, v.title, v.url, v.shareability, v.metadata, v.content_hash, coalesce(d.chunk_count, v.chunk_count) as chunk_count, d.created_at,
  d.updated_at, (extract(epoch from d.updated_at) * 1000000)::float8 as updated_us`;
/** As long as its current version is set aside, a document is not found. */
const FOUND = 'd.current_version is not null and d.quarantined_version is distinct from d.current_version';
const CURRENT = `document d join document_version v
  on v.tenant_id = d.tenant_id and v.corpus_id = d.corpus_id and v.doc_id = d.doc_id and v.version = d.current_version`;

/** What can be searched now, as a list of documents. */
@Injectable()
export class DocumentsStore {
  constructor(private readonly tenancy: Tenancy) {}

  listCorpora(after: string | undefined, limit: number): Promise<CorpusRow[]> {
    return this.tenancy.query<CorpusRow>(
      `select c.corpus_id, c.language, c.created_at, (select count(*)::int from document d
         where d.tenant_id = c.tenant_id and d.corpus_id = c.corpus_id and ${FOUND}) as documents
       from corpus c where $1::text is null or c.corpus_id > $1 order by c.corpus_id limit $2`,
      [after ?? null, limit],
    );
  }

  listDocuments(filter: DocumentFilter, after: DocumentPosition | undefined, limit: number): Promise<DocumentRow[]> {
    return this.tenancy.query<DocumentRow>(
      `select ${COLUMNS} from ${CURRENT}
       where ${FOUND}
         and ($1::text is null or d.corpus_id = $1) and ($2::text is null or d.shareability = $2)
         and ($3::float8 is null or d.updated_at >= timestamptz 'epoch' + $3 * interval '1 millisecond')
         and ($4::float8 is null or (d.updated_at, d.corpus_id, d.doc_id) > (timestamptz 'epoch' + $4 * interval '1 microsecond', $5, $6))
       order by d.updated_at, d.corpus_id, d.doc_id limit $7`,
      [
        filter.corpusId ?? null,
        filter.shareability ?? null,
        filter.updatedSinceMs ?? null,
        after?.[0] ?? null,
        after?.[1] ?? null,
        after?.[2] ?? null,
        limit,
      ],
    );
  }

  /** One that is set aside as well. */
  async findDocument(corpusId: string, docId: string): Promise<ReadDocument | undefined> {
    const [row] = await this.tenancy.query<ReadDocument>(
      `select ${COLUMNS}, v.content, v.source_suggestion_id, coalesce(d.quarantined_version = d.current_version, false) as quarantined from ${CURRENT} where d.corpus_id = $1 and d.doc_id = $2 and d.current_version is not null`,
      [corpusId, docId],
    );
    return row;
  }

  /**
   * Marks a document deleted, so that versions accepted before are not indexed any more.
   * @returns the version that was in search; undefined where there is no document
   */
  async withdraw(corpusId: string, docId: string): Promise<{ version: number | null } | undefined> {
    const [row] = await this.tenancy.query<{ version: number | null }>(
      `with before as (
         select current_version from document where corpus_id = $1 and doc_id = $2 and deleted_at is null and latest_version > 0 for update
       )
       update document set deleted_at = now(), current_version = null, withdrawn_version = latest_version, latest_digest = null from before
       where corpus_id = $1 and doc_id = $2 returning before.current_version as version`,
      [corpusId, docId],
    );
    return row;
  }
}

import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { namedDigest } from '../../../evidence/digest.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { IndexingService } from '../retrieval/indexing.service.js';
import { ChunksStore } from './chunks.store.js';
import type {
  CorpusList,
  Document,
  DocumentList,
  DocumentListQuery,
  DocumentPath,
  DocumentWithContent,
  DocumentWithdrawn,
} from './documents.dto.js';
import { DocumentsStore, type DocumentRow } from './documents.store.js';
import { FileReadingService } from './files/file-reading.service.js';
import { DOCUMENT_WITHDRAWN, withdrawnEvent } from './ingest.events.js';
import { DocumentUnknown } from './ingest.problems.js';

/** Lists, reads and withdraws the documents of a tenant. */
@Injectable()
export class DocumentsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly documents: DocumentsStore,
    private readonly files: FileReadingService,
    private readonly chunks: ChunksStore,
    private readonly indexing: IndexingService,
    private readonly audit: AuditTrail,
  ) {}

  async listCorpora(caller: TenantCaller, { limit, cursor }: PageQuery): Promise<CorpusList> {
    const after = decodeCursor(cursor, ['text'])?.[0];
    const rows = await this.tenancy.run(caller.tenantId, () => this.documents.listCorpora(after, limit + 1));
    const { page, next_cursor } = takePage(rows, limit, (row) => [row.corpus_id]);
    return {
      corpora: page.map((row) => ({
        corpusId: row.corpus_id,
        language: row.language,
        documents: row.documents,
        createdAt: row.created_at.toISOString(),
      })),
      next_cursor,
    };
  }

  async listDocuments(caller: TenantCaller, query: DocumentListQuery): Promise<DocumentList> {
    const { limit, cursor, corpusId, shareability, updatedSince } = query;
    const after = decodeCursor(cursor, ['integer', 'text', 'text']);
    const filter = {
      corpusId,
      shareability,
      updatedSinceMs: updatedSince === undefined ? undefined : Date.parse(updatedSince),
    };
    const rows = await this.tenancy.run(caller.tenantId, () => this.documents.listDocuments(filter, after, limit + 1));
    const { page, next_cursor } = takePage(rows, limit, (row) => [row.updated_us, row.corpus_id, row.doc_id]);
    return { documents: page.map(toDocument), next_cursor };
  }

  async readDocument(caller: TenantCaller, { corpusId, docId }: DocumentPath): Promise<DocumentWithContent> {
    const row = await this.tenancy.run(caller.tenantId, () => this.documents.findDocument(corpusId, docId));
    if (!row) throw unknown(corpusId, docId);
    const { content, source_suggestion_id: sourceSuggestionId, quarantined } = row;
    return { ...toDocument(row), content, sourceSuggestionId, ...(quarantined ? { quarantined: true } : {}) };
  }

  /**
   * Takes a document out of search, with what waits of it; its passages stay stored for the citations and proofs that
   * name them.
   */
  withdraw(caller: TenantCaller, { corpusId, docId }: DocumentPath): Promise<DocumentWithdrawn> {
    return this.tenancy.run(caller.tenantId, async () => {
      const hadFiles = await this.files.withdraw(corpusId, docId);
      const withdrawn = await this.documents.withdraw(corpusId, docId);
      if (!withdrawn && !hadFiles) throw unknown(corpusId, docId);
      const retired = await this.chunks.retire([{ corpusId, docId }]);
      for (const { shard, chunkIds } of retired) await this.indexing.withdraw(shard, chunkIds);
      const version = withdrawn?.version ?? null;
      const { receiptId } = await this.audit.record(caller, {
        kind: DOCUMENT_WITHDRAWN,
        subject: docId,
        facts: { corpusId, docId },
        makeEvent: () => withdrawnEvent({ corpusId, docId, version, actor: caller.principal }),
      });
      return { corpusId, docId, receiptId };
    });
  }
}

function toDocument(row: DocumentRow): Document {
  return {
    corpusId: row.corpus_id,
    docId: row.doc_id,
    version: row.version,
    title: row.title,
    url: row.url,
    shareability: row.shareability,
    metadata: row.metadata,
    contentHash: namedDigest('blake3', row.content_hash),
    chunkCount: row.chunk_count,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function unknown(corpusId: string, docId: string): DocumentUnknown {
  return new DocumentUnknown({ corpusId, docId }, 'It was never ingested, is not indexed yet, or was deleted');
}

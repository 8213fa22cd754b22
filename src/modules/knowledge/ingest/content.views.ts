import { Injectable } from '@nestjs/common';
import { INGEST_COMPLETED, type DocumentVersion } from '../../../evidence/content-bindings.js';
import { namedDigest } from '../../../evidence/digest.js';
import type { PassageLeaf } from '../../../evidence/passage-tree.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** The ingest that brought a version in. */
export interface IngestReceipts {
  readonly ingestId: string;
  /** Of the receipt under which it was accepted. */
  readonly acceptedId: string;
  /** Of the receipt over its passages; null where it has none. */
  readonly completedId: string | null;
}

/** A version of a document as it is stored. */
export interface StoredVersion extends IngestReceipts {
  readonly content: string;
  readonly contentType: string | null;
}

/** Documents of the open unit of work's tenant, as they are held against the receipts of their ingest. */
@Injectable()
export class ContentViews {
  constructor(private readonly tenancy: Tenancy) {}

  async find(document: DocumentVersion): Promise<StoredVersion | undefined> {
    const { corpusId, docId, version } = document;
    const receipts = await this.findReceipts(document);
    const [row] = await this.tenancy.query<{ content: string; content_type: string | null }>(
      `select content, metadata ->> 'contentType' as content_type from document_version
       where tenant_id = $1 and corpus_id = $2 and doc_id = $3 and version = $4`,
      [this.tenancy.tenant, corpusId, docId, version],
    );
    return row && receipts && { ...receipts, content: row.content, contentType: row.content_type };
  }

  /** The first ingest of a version, and the receipts that it left. */
  async findReceipts({ corpusId, docId, version }: DocumentVersion): Promise<IngestReceipts | undefined> {
    const [row] = await this.tenancy.query<IngestRow>(
      `select ingest_id, receipt_id, (
           select r.receipt_id from ingest any_of join receipt r on r.tenant_id = any_of.tenant_id and r.subject = any_of.ingest_id::text
           where any_of.tenant_id = i.tenant_id and any_of.corpus_id = i.corpus_id and any_of.doc_id = i.doc_id
             and any_of.version = i.version and r.kind = $5
           order by r.stream, r.seq limit 1
         ) as completed_id
       from ingest i where tenant_id = $1 and corpus_id = $2 and doc_id = $3 and version = $4
       order by accepted_at, ingest_id limit 1`,
      [this.tenancy.tenant, corpusId, docId, version, INGEST_COMPLETED],
    );
    return row && { ingestId: row.ingest_id, acceptedId: row.receipt_id, completedId: row.completed_id };
  }

  /** The passages of a version, in its order. */
  async findPassages({ corpusId, docId, version }: DocumentVersion): Promise<PassageLeaf[]> {
    const rows = await this.tenancy.query<PassageRow>(
      `select chunk_id, content_hash, start_offset, end_offset from chunk
       where tenant_id = $1 and corpus_id = $2 and doc_id = $3 and version = $4 order by ordinal`,
      [this.tenancy.tenant, corpusId, docId, version],
    );
    return rows.map((row) => ({
      chunkId: row.chunk_id,
      contentHash: namedDigest('blake3', row.content_hash),
      start: row.start_offset,
      end: row.end_offset,
    }));
  }
}

interface IngestRow {
  ingest_id: string;
  receipt_id: string;
  completed_id: string | null;
}

interface PassageRow {
  chunk_id: string;
  content_hash: Buffer;
  start_offset: number;
  end_offset: number;
}

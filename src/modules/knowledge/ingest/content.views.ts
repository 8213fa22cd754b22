import { Injectable } from '@nestjs/common';
import { INGEST_COMPLETED, type DocumentVersion } from '../../../evidence/content-bindings.js';
import { type Digest, namedDigest } from '../../../evidence/digest.js';
import type { PassageLeaf } from '../../../evidence/passage-tree.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** A receipt of an ingest. */
export interface IngestReceipt {
  readonly ingestId: string;
  readonly receiptId: string;
}

/** The receipts of the ingests that brought a version in. */
export interface IngestReceipts {
  /** Under which it was accepted first. */
  readonly accepted: IngestReceipt;
  /** Over its passages; null where it has none. */
  readonly completed: IngestReceipt | null;
}

/** A version of a document as it is stored. */
export interface StoredVersion extends IngestReceipts {
  readonly content: string;
  readonly shareability: string;
  readonly contentType: string | null;
}

export interface VersionDigest {
  readonly contentHash: Digest;
  readonly shareability: string;
}

/** Documents of the open unit of work's tenant, as they are held against the receipts of their ingest. */
@Injectable()
export class ContentViews {
  constructor(private readonly tenancy: Tenancy) {}

  async find(document: DocumentVersion): Promise<StoredVersion | undefined> {
    const { corpusId, docId, version } = document;
    const receipts = await this.findReceipts(document);
    const [row] = await this.tenancy.query<{ content: string; shareability: string; content_type: string | null }>(
      `select content, shareability, metadata ->> 'contentType' as content_type ${VERSION}`,
      [this.tenancy.tenant, corpusId, docId, version],
    );
    if (!row || !receipts) return undefined;
    return { ...receipts, content: row.content, shareability: row.shareability, contentType: row.content_type };
  }

  /** What the receipts of a version bind but for its passages, as its row has it: not the text, which may be large. */
  async findDigest({ corpusId, docId, version }: DocumentVersion): Promise<VersionDigest | undefined> {
    const [row] = await this.tenancy.query<{ content_hash: Buffer; shareability: string }>(
      `select content_hash, shareability ${VERSION}`,
      [this.tenancy.tenant, corpusId, docId, version],
    );
    return row && { contentHash: namedDigest('blake3', row.content_hash), shareability: row.shareability };
  }

  /** The receipts of the first ingest of a version, and of the first that completed it. */
  async findReceipts({ corpusId, docId, version }: DocumentVersion): Promise<IngestReceipts | undefined> {
    const [row] = await this.tenancy.query<IngestRow>(
      `select i.ingest_id, i.receipt_id, done.ingest_id as completed_ingest, done.completed_id
       from ingest i left join lateral (
         select o.ingest_id, n.completed_id from ingest o cross join lateral (
           -- Ingests from before they kept it are found by the subject of the receipt.
           select coalesce(o.completed_id, (select r.receipt_id from receipt r
             where r.tenant_id = o.tenant_id and r.subject = o.ingest_id::text and r.kind = $5 order by r.stream, r.seq limit 1)) as completed_id
         ) n left join receipt r on r.tenant_id = o.tenant_id and r.receipt_id = n.completed_id
         where o.tenant_id = i.tenant_id and o.corpus_id = i.corpus_id and o.doc_id = i.doc_id and o.version = i.version
           and n.completed_id is not null
         order by r.stream, r.seq limit 1
       ) done on true
       where i.tenant_id = $1 and i.corpus_id = $2 and i.doc_id = $3 and i.version = $4
       order by i.accepted_at, i.ingest_id limit 1`,
      [this.tenancy.tenant, corpusId, docId, version, INGEST_COMPLETED],
    );
    if (!row) return undefined;
    const { completed_ingest: ingestId, completed_id: receiptId } = row;
    return {
      accepted: { ingestId: row.ingest_id, receiptId: row.receipt_id },
      completed: receiptId === null || ingestId === null ? null : { ingestId, receiptId },
    };
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
  completed_ingest: string | null;
  completed_id: string | null;
}

const VERSION = 'from document_version where tenant_id = $1 and corpus_id = $2 and doc_id = $3 and version = $4';

interface PassageRow {
  chunk_id: string;
  content_hash: Buffer;
  start_offset: number;
  end_offset: number;
}

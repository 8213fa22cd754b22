import { Injectable } from '@nestjs/common';
import { namedDigest } from '../../../../evidence/digest.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { documentsWritten } from '../../citations/present-documents.views.js';
import type { ExpectedChunk } from './proof-job.types.js';

export interface CurrentDocument {
  corpusId: string;
  docId: string;
  version: number;
}

export const entitlementKeyOf = ({ ownerTenantId, corpusId }: { ownerTenantId: string; corpusId: string }): string =>
  JSON.stringify([ownerTenantId, corpusId]);

/** Documents of the open unit of work's tenant and its ledgers, as proofs look at them. */
@Injectable()
export class ProofSubjectsViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** The document written as corpusId/docId; both may hold slashes themselves, so every one is tried as the divider. */
  async findDocument(written: string): Promise<CurrentDocument | undefined> {
    const names = documentsWritten(written);
    const [row] = await this.tenancy.query<{ corpus_id: string; doc_id: string; current_version: number }>(
      `select corpus_id, doc_id, current_version from document
       where (corpus_id, doc_id) in (select * from unnest($1::text[], $2::text[])) and current_version is not null
       order by length(corpus_id) limit 1`,
      [names.map(({ corpusId }) => corpusId), names.map(({ docId }) => docId)],
    );
    return row && { corpusId: row.corpus_id, docId: row.doc_id, version: row.current_version };
  }

  /** The passages of one version of an own document, in its order. */
  async findChunks({ corpusId, docId, version }: CurrentDocument): Promise<ExpectedChunk[]> {
    const rows = await this.tenancy.query<{
      chunk_id: string;
      title: string | null;
      url: string | null;
      content_hash: Buffer;
      shareability: ExpectedChunk['shareability'];
    }>(
      `select chunk_id, title, url, content_hash, shareability from chunk
       where tenant_id = $1 and corpus_id = $2 and doc_id = $3 and version = $4 order by ordinal`,
      [this.tenancy.tenant, corpusId, docId, version],
    );
    return rows.map((row) => ({
      chunkId: row.chunk_id,
      ownerTenantId: this.tenancy.tenant,
      corpusId,
      docId,
      docVersion: version,
      title: row.title,
      url: row.url,
      contentHash: namedDigest('blake3', row.content_hash),
      quote: null,
      shareability: row.shareability,
      recordedRank: null,
    }));
  }

  /** When the tenant was entitled to each corpus of others. */
  async findEntitlements(): Promise<Map<string, Date>> {
    const rows = await this.tenancy.query<{ publisher_tenant_id: string; corpus_id: string; granted_at: Date }>(
      'select publisher_tenant_id, corpus_id, granted_at from entitlement where tenant_id = $1',
      [this.tenancy.tenant],
    );
    return new Map(
      rows.map((row) => [
        entitlementKeyOf({ ownerTenantId: row.publisher_tenant_id, corpusId: row.corpus_id }),
        row.granted_at,
      ]),
    );
  }
}

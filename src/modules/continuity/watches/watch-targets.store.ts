import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { documentsWritten, type DocumentName } from '../../knowledge/citations/present-documents.views.js';

/**
 * What can be watched, as row-level security lets the open unit of work's tenant see it: its own and what is shared
 * with it.
 */
@Injectable()
export class WatchTargetsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * The document written as corpusId/docId; both may hold slashes, so every one is tried as the divider. An own one
   * comes before a shared one.
   */
  async findDocument(written: string): Promise<(DocumentName & { version: number }) | undefined> {
    const names = documentsWritten(written);
    if (names.length === 0) return undefined;
    const [row] = await this.tenancy.query<{ owner: string; corpus: string; doc: string; version: number }>(
      `select c.tenant_id as owner, c.corpus_id as corpus, c.doc_id as doc, c.version
       from unnest($1::text[], $2::text[]) w(corpus, doc)
       join svc_visible_shards() v on v.corpus_id = w.corpus
       join chunk c on c.tenant_id = v.tenant_id and c.corpus_id = w.corpus and c.doc_id = w.doc and c.retired_at is null
       order by c.tenant_id <> $3, length(c.corpus_id), c.tenant_id limit 1`,
      [names.map(({ corpusId }) => corpusId), names.map(({ docId }) => docId), this.tenancy.tenant],
    );
    return row && { ownerTenantId: row.owner, corpusId: row.corpus, docId: row.doc, version: row.version };
  }
}

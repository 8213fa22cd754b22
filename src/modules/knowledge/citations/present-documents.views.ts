import { Injectable } from '@nestjs/common';
import { readDocumentId } from '../../../common/contract/document-ids.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

export interface DocumentName {
  ownerTenantId: string;
  corpusId: string;
  docId: string;
}

/** A document as the tenant sees it now. */
export interface PresentDocument extends DocumentName {
  version: number;
}

export const documentKeyOf = ({ ownerTenantId, corpusId, docId }: DocumentName): string =>
  JSON.stringify([ownerTenantId, corpusId, docId]);

/**
 * What may be meant by corpusId/docId: both may hold slashes, so every one is tried as the divider; and it may be an
 * id, in which the slashes of the corpus are written as %2F.
 */
export function documentsWritten(written: string): Pick<DocumentName, 'corpusId' | 'docId'>[] {
  const named = [...written.matchAll(/(?<=.)\/(?=.)/gs)].map(({ index }) => ({
    corpusId: written.slice(0, index),
    docId: written.slice(index + 1),
  }));
  const byId = readDocumentId(written);
  return byId === undefined || byId.corpusId === named[0]?.corpusId ? named : [byId, ...named];
}

/**
 * Documents that were cited or are watched, as row-level security lets the open unit of work's tenant see them: its own
 * and what is shared with it.
 */
@Injectable()
export class PresentDocumentsViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** Documents as they are now; one that is gone, or no longer shared with the tenant, is missing. */
  async findPresent(documents: readonly DocumentName[]): Promise<Map<string, PresentDocument>> {
    if (documents.length === 0) return new Map();
    const rows = await this.tenancy.query<{
      owner: string;
      corpus: string;
      doc: string;
      version: number;
    }>(
      `select c.tenant_id as owner, c.corpus_id as corpus, c.doc_id as doc, max(c.version) as version
       from (select distinct "ownerTenantId", "corpusId", "docId" from jsonb_to_recordset($1::jsonb) as d("ownerTenantId" text, "corpusId" text, "docId" text)) d
       join chunk c on c.tenant_id = d."ownerTenantId" and c.corpus_id = d."corpusId" and c.doc_id = d."docId" and c.retired_at is null
       group by 1, 2, 3`,
      [JSON.stringify(documents.map(({ ownerTenantId, corpusId, docId }) => ({ ownerTenantId, corpusId, docId })))],
    );
    return new Map(
      rows.map((row): [string, PresentDocument] => {
        const name = { ownerTenantId: row.owner, corpusId: row.corpus, docId: row.doc };
        return [documentKeyOf(name), { ...name, version: row.version }];
      }),
    );
  }
}

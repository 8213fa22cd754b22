import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { DocumentName } from '../citations/present-documents.views.js';

/** Something that can be proven, and the documents it is made of. */
export interface ProvableThing {
  /** Of an answer its version, of a retrieval its id; a passage has none. */
  version: number | string | null;
  documents: DocumentName[];
}

const FOUND_IN = `coalesce(found.documents, '[]') as documents from`;
const FOUND = `left join lateral (
  select jsonb_agg(distinct jsonb_build_object('ownerTenantId', r->>'ownerTenantId', 'corpusId', r->>'corpusId', 'docId', r->>'docId')) as documents
  from jsonb_array_elements(results) r
) found on true`;

/** What can be proven, by the names of its documents alone. Needs an open unit of work. */
@Injectable()
export class ProofStateViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** The newest version of an answer, with the documents that it cites. */
  findAnswer(answerId: string): Promise<ProvableThing | undefined> {
    return this.findOne(
      `select a.version, coalesce(cited.documents, '[]') as documents
       from (select version from answer where tenant_id = $1 and answer_id = $2 order by version desc limit 1) a
       left join lateral (
         select jsonb_agg(distinct jsonb_build_object('ownerTenantId', owner_tenant_id, 'corpusId', corpus_id, 'docId', doc_id)) as documents
         from citation c where c.tenant_id = $1 and c.answer_id = $2 and c.version = a.version
       ) cited on true`,
      answerId,
    );
  }

  /** A passage that the tenant may see, its own before another's of the same id. */
  findPassage(chunkId: string): Promise<ProvableThing | undefined> {
    return this.findOne(
      `select null as version, jsonb_build_array(jsonb_build_object('ownerTenantId', tenant_id, 'corpusId', corpus_id, 'docId', doc_id)) as documents
       from chunk where chunk_id = $2 order by tenant_id <> $1 limit 1`,
      chunkId,
    );
  }

  /** A retrieval of the verified or the audit lane, with the documents that it found. */
  findRetrieval(retrievalId: string): Promise<ProvableThing | undefined> {
    if (!isUuid(retrievalId)) return Promise.resolve(undefined);
    return this.findOne(
      `select retrieval_id as version, ${FOUND_IN} retrieval ${FOUND} where tenant_id = $1 and retrieval_id = $2::uuid`,
      retrievalId,
    );
  }

  /** The last retrieval of an agent, with the documents that it found. */
  findLastRetrieval(agentId: string): Promise<ProvableThing | undefined> {
    return this.findOne(
      `select retrieval_id as version, ${FOUND_IN} agent_retrieval ${FOUND} where tenant_id = $1 and agent_id = $2`,
      agentId,
    );
  }

  private async findOne(sql: string, id: string): Promise<ProvableThing | undefined> {
    const [row] = await this.tenancy.query<ProvableThing>(sql, [this.tenancy.tenant, id]);
    return row;
  }
}

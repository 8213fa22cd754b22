import { Injectable } from '@nestjs/common';
import type { Language } from '../../../search/languages.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Shareability } from './analysis/analysis.types.js';

export interface NamedDocument {
  corpusId: string;
  docId: string;
}

/** The version of a document that was set aside, or comes back. */
export interface QuarantinedVersion extends NamedDocument {
  version: number;
  shareability: Shareability;
  language: Language;
  title: string;
  url: string | null;
}

/** A passage that comes back. */
export interface RestoredChunk {
  chunkId: string;
  content: string;
  headingPath: string[];
  title: string;
  day: number;
  /** 64 hexadecimal digits. */
  contentHash: string;
  docId: string;
}

const NAMED = `json_to_recordset($2::json) as n("corpusId" text, "docId" text)`;
/** Locked in the order in which an ingest locks them. */
const lockedWhere = (condition: string): string => `
  select d.tenant_id, d.corpus_id, d.doc_id from document d
  where d.tenant_id = $1 and (d.corpus_id, d.doc_id) in (select n."corpusId", n."docId" from ${NAMED}) and ${condition}
  order by d.corpus_id collate "C", d.doc_id collate "C" for update`;
const SHOWN = `
  select m.corpus_id as "corpusId", m.doc_id as "docId", v.version, v.shareability, c.language, v.title, v.url
  from moved m
  join document_version v on v.tenant_id = m.tenant_id and v.corpus_id = m.corpus_id and v.doc_id = m.doc_id and v.version = m.current_version
  join corpus c on c.tenant_id = m.tenant_id and c.corpus_id = m.corpus_id
  order by m.corpus_id collate "C", v.shareability, m.doc_id collate "C"`;

/** Which documents are set aside. In the open unit of work. */
@Injectable()
export class DocumentQuarantineStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns those that were found before, by their shards */
  setAside(documents: readonly NamedDocument[]): Promise<QuarantinedVersion[]> {
    return this.tenancy.query<QuarantinedVersion>(
      `with held as materialized (${lockedWhere('d.current_version is not null and d.quarantined_version is distinct from d.current_version')}),
       moved as (
         update document d set quarantined_version = d.current_version from held h
         where d.tenant_id = h.tenant_id and d.corpus_id = h.corpus_id and d.doc_id = h.doc_id
         returning d.tenant_id, d.corpus_id, d.doc_id, d.current_version
       ) ${SHOWN}`,
      [this.tenancy.tenant, JSON.stringify(documents)],
    );
  }

  /** @returns those that are found again, by their shards; others were replaced or deleted meanwhile */
  bringBack(documents: readonly NamedDocument[]): Promise<QuarantinedVersion[]> {
    return this.tenancy.query<QuarantinedVersion>(
      `with held as materialized (${lockedWhere('d.quarantined_version is not null')}),
       before as (select h.*, d.quarantined_version as version from held h join document d using (tenant_id, corpus_id, doc_id)),
       moved as (
         update document d set quarantined_version = null from before b
         where d.tenant_id = b.tenant_id and d.corpus_id = b.corpus_id and d.doc_id = b.doc_id
         returning d.tenant_id, d.corpus_id, d.doc_id, case when d.current_version = b.version then d.current_version end as current_version
       ) ${SHOWN}`,
      [this.tenancy.tenant, JSON.stringify(documents)],
    );
  }

  /** The passages of versions are there again, in their order. */
  restore(versions: readonly QuarantinedVersion[]): Promise<RestoredChunk[]> {
    return this.tenancy.query<RestoredChunk>(
      `with restored as (
         update chunk c set retired_at = null
         from json_to_recordset($2::json) as n("corpusId" text, "docId" text, version int)
         where c.tenant_id = $1 and c.corpus_id = n."corpusId" and c.doc_id = n."docId" and c.version = n.version
         returning c.*
       )
       select chunk_id as "chunkId", content, heading_path as "headingPath", coalesce(title, '') as title, day,
         encode(content_hash, 'hex') as "contentHash", doc_id as "docId"
       from restored order by doc_id collate "C", ordinal`,
      [this.tenancy.tenant, JSON.stringify(versions)],
    );
  }
}

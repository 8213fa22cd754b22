import { Injectable } from '@nestjs/common';
import type { Language } from '../../../search/languages.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Shareability } from './analysis/analysis.types.js';
import type { LocatedRange } from './extraction/locations.types.js';
import type { UnfinishedIngest } from './ingest-indexing.rules.js';
import type { AnalysedVersion, PendingVersion } from './ingest-indexing.types.js';
import { documentKey } from './ingest.rules.js';

interface PendingRow {
  ingest_id: string;
  corpus_id: string;
  doc_id: string;
  version: number;
  title: string;
  url: string | null;
  content: string;
  content_type: string | null;
  shareability: Shareability;
  language: Language;
  day: number;
  locations: LocatedRange[] | null;
  current_version: number;
  withdrawn_version: number;
}

/** A document of so many bytes is indexed within some tens of milliseconds. */
const MAX_UNMARKED_BYTES = 64 * 1024;

/** Rows of the work on accepted ingests: their progress, and which version of a document is in search. */
@Injectable()
export class IngestIndexingStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Begins the work on these ingests; answers the unfinished ones. Those that take a while are marked as being worked
   * on: large ones, and every one that is tried again. The others are finished before anybody would see it, and their
   * rows are written once less.
   */
  async begin(ingestIds: readonly string[], isRepeated: boolean): Promise<UnfinishedIngest[]> {
    return this.tenancy.query<UnfinishedIngest>(
      `with found as materialized (
         select i.ingest_id, octet_length(v.content) as bytes
         from unnest($1::uuid[]) n(ingest_id)
         cross join lateral (select * from ingest where ingest_id = n.ingest_id and finished_at is null limit 1) i
         cross join lateral (select content from document_version
           where tenant_id = i.tenant_id and corpus_id = i.corpus_id and doc_id = i.doc_id and version = i.version limit 1) v
       ), marked as (
         update ingest set status = 'processing'
         where ingest_id in (select ingest_id from found where $2 or bytes > $3) and finished_at is null
       )
       select ingest_id as "ingestId", bytes from found order by ingest_id`,
      [ingestIds, isRepeated, MAX_UNMARKED_BYTES],
    );
  }

  /**
   * The unfinished ones of these ingests, with all that indexing needs. `limit 1` makes each join a lookup by key:
   * right after a table has grown its statistics still say that it is small, and a plan made by them reads all of it.
   */
  async loadPending(ingestIds: readonly string[]): Promise<PendingVersion[]> {
    const rows = await this.tenancy.query<PendingRow>(
      `select i.ingest_id, i.corpus_id, i.doc_id, i.version, v.title, v.url, v.content, v.metadata ->> 'contentType' as content_type, v.shareability,
         c.language, floor(extract(epoch from v.accepted_at) / 86400)::int as day, v.locations,
         coalesce(d.current_version, 0) as current_version, d.withdrawn_version
       from unnest($1::uuid[]) n(ingest_id)
       cross join lateral (select * from ingest where ingest_id = n.ingest_id and finished_at is null limit 1) i
       cross join lateral (select * from document_version
         where tenant_id = i.tenant_id and corpus_id = i.corpus_id and doc_id = i.doc_id and version = i.version limit 1) v
       cross join lateral (select * from document
         where tenant_id = i.tenant_id and corpus_id = i.corpus_id and doc_id = i.doc_id limit 1) d
       cross join lateral (select * from corpus where tenant_id = i.tenant_id and corpus_id = i.corpus_id limit 1) c
       order by i.ingest_id`,
      [ingestIds],
    );
    return rows.map(toPending);
  }

  /**
   * Locks the documents of versions, always in the same order, until the unit of work ends.
   * @returns whether each of them still stands where it stood when it was loaded
   */
  async lockUnchanged(versions: readonly PendingVersion[]): Promise<boolean> {
    const rows = await this.tenancy.query<{ corpus_id: string; doc_id: string; current: number; withdrawn: number }>(
      `select corpus_id, doc_id, coalesce(current_version, 0) as current, withdrawn_version as withdrawn from document
       where (corpus_id, doc_id) in (select d."corpusId", d."docId" from json_to_recordset($1::json) as d("corpusId" text, "docId" text))
       order by corpus_id collate "C", doc_id collate "C" for update`,
      [JSON.stringify(versions.map(({ corpusId, docId }) => ({ corpusId, docId })))],
    );
    const found = new Map(rows.map((row) => [documentKey({ corpusId: row.corpus_id, docId: row.doc_id }), row]));
    return versions.every((version) => {
      const row = found.get(documentKey(version));
      return row?.current === version.currentVersion && row.withdrawn === version.withdrawnVersion;
    });
  }

  /**
   * Makes versions the current ones of their documents and completes their ingests. The receipts have the head of their
   * stream locked until the commit: times of the clock that are taken now are in the order in which they are seen.
   * @param receiptIds the receipts of their completion, in their order
   */
  async publish(versions: readonly AnalysedVersion[], receiptIds: readonly string[]): Promise<void> {
    const rows = versions.map(({ version, analysed }, index) => ({
      ingest_id: version.ingestId,
      corpus_id: version.corpusId,
      doc_id: version.docId,
      version: version.version,
      shareability: version.shareability,
      chunk_count: analysed.chunks.length,
      completed_id: receiptIds[index],
    }));
    const list = `json_to_recordset($1::json) as p(ingest_id uuid, corpus_id text, doc_id text, version int, shareability text, chunk_count int, completed_id uuid)`;
    const parameters = [JSON.stringify(rows)];
    await this.tenancy.query(
      `with published as (select * from ${list}), clock as materialized (select clock_timestamp() as now), moved as (
         update document d
         set current_version = p.version, shareability = p.shareability, chunk_count = p.chunk_count, updated_at = clock.now
         from published p, clock where d.corpus_id = p.corpus_id and d.doc_id = p.doc_id
       )
       update ingest i set status = 'completed', error = null, finished_at = now(), completed_id = p.completed_id
       from published p where i.ingest_id = p.ingest_id`,
      parameters,
    );
  }

  async complete(ingestIds: readonly string[]): Promise<void> {
    await this.tenancy.query(
      `update ingest set status = 'completed', error = null, finished_at = now() where ingest_id = any($1) and finished_at is null`,
      [ingestIds],
    );
  }

  /** @param error for ingests that have none yet from an attempt before, or for all when `replace` */
  async fail(ingestIds: readonly string[], error: string, replace = true): Promise<void> {
    await this.tenancy.query(
      `update ingest set status = 'failed', error = case when $3 then $2 else coalesce(error, $2) end, finished_at = now()
       where ingest_id = any($1) and finished_at is null`,
      [ingestIds, error, replace],
    );
  }

  /** Puts an ingest back in the queue's hands after a failed attempt. */
  async delay(ingestId: string, error: string): Promise<void> {
    await this.tenancy.query(
      `update ingest set status = 'queued', error = $2 where ingest_id = $1 and finished_at is null`,
      [ingestId, error],
    );
  }
}

function toPending(row: PendingRow): PendingVersion {
  return {
    ingestId: row.ingest_id,
    corpusId: row.corpus_id,
    docId: row.doc_id,
    version: row.version,
    title: row.title,
    url: row.url,
    content: row.content,
    contentType: row.content_type,
    shareability: row.shareability,
    language: row.language,
    day: row.day,
    locations: row.locations,
    currentVersion: row.current_version,
    withdrawnVersion: row.withdrawn_version,
  };
}

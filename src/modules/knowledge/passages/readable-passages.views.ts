import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { NamedPassage, OutlinePassage, Place, ReadablePassage, WantedOutline } from './passages.types.js';

/** Passages of the newest version with the text of `c`. */
const STANDING = `chunk n where n.tenant_id = c.tenant_id and n.corpus_id = c.corpus_id and n.doc_id = c.doc_id
    and n.retired_at is null and n.content_hash = c.content_hash`;
/**
 * Of other tenants row-level security shows what they share now. Own passages of earlier versions are there too, but
 * not those of a document that was deleted since, unless it has the text again, or of a version that an incident has
 * set aside.
 */
const READABLE = `(c.tenant_id <> $1 or exists (
  select from document d where d.tenant_id = c.tenant_id and d.corpus_id = c.corpus_id and d.doc_id = c.doc_id
    and d.current_version is not null and d.quarantined_version is distinct from d.current_version
    and c.version is distinct from d.quarantined_version
    and (c.version > d.withdrawn_version or exists (select from ${STANDING}))))`;
/** Of a text that is there again after a deletion, all that is shown with it is what stands with it now. */
const STANDING_AGAIN = `left join lateral (
  select n.title, n.url, n.heading_path, n.location from document d, ${STANDING}
    and d.tenant_id = c.tenant_id and d.corpus_id = c.corpus_id and d.doc_id = c.doc_id and d.withdrawn_version >= c.version
  order by n.ordinal limit 1) s on c.tenant_id = $1`;
const shown = (column: string): string => `case when s is null then c.${column} else s.${column} end`;

/** Passages as row-level security lets the open unit of work's tenant read them. */
@Injectable()
export class ReadablePassagesViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** By id, an own one before another's of the same id; what the tenant may not read is missing. */
  async find(chunkIds: readonly string[]): Promise<Map<string, ReadablePassage>> {
    if (chunkIds.length === 0) return new Map();
    const rows = await this.tenancy.query<ReadablePassage>(
      `select distinct on (c.chunk_id) c.chunk_id as "chunkId", c.tenant_id as "ownerTenantId", c.corpus_id as "corpusId", c.doc_id as "docId", c.version, c.ordinal,
         ${shown('heading_path')} as "headingPath", ${shown('title')} as title, ${shown('url')} as url, c.content,
         encode(c.content_hash, 'hex') as "contentHash", c.start_offset as start, c.end_offset as "end", ${shown('location')} as location
       from chunk c ${STANDING_AGAIN} where c.chunk_id = any($2::text[]) and ${READABLE} order by c.chunk_id, c.tenant_id <> $1`,
      [this.tenancy.tenant, [...new Set(chunkIds)]],
    );
    return new Map(rows.map((row) => [row.chunkId, row]));
  }

  /** The passages around one, of the same version, in document order. */
  findAround(place: Place, around: number): Promise<(NamedPassage & { ordinal: number })[]> {
    const { ownerTenantId, corpusId, docId, version, ordinal } = place;
    return this.tenancy.query(
      `select c.chunk_id as "chunkId", c.content, c.ordinal from chunk c
       where c.tenant_id = $2 and c.corpus_id = $3 and c.doc_id = $4 and c.version = $5 and c.ordinal between $6 - $7::int and $6 + $7::int and c.ordinal <> $6
         and ${READABLE}
       order by c.ordinal`,
      [this.tenancy.tenant, ownerTenantId, corpusId, docId, version, ordinal, around],
    );
  }

  /** The passages of versions, in the order of what was wanted. What is not there, or not to be read, is empty. */
  async findOutlines(wanted: readonly WantedOutline[]): Promise<OutlinePassage[][]> {
    if (wanted.length === 0) return [];
    const rows = await this.tenancy.query<OutlinePassage & { place: number }>(
      `with wanted as (
         select * from jsonb_to_recordset($2::jsonb) as w(place int, "ownerTenantId" text, "corpusId" text, "docId" text, version int)
       ), found as (
         select w.place, c.* from wanted w
         join chunk c on c.tenant_id = w."ownerTenantId" and c.corpus_id = w."corpusId" and c.doc_id = w."docId" and c.version = w.version
         union all
         select w.place, c.* from wanted w
         join chunk c on c.tenant_id = w."ownerTenantId" and c.corpus_id = w."corpusId" and c.doc_id = w."docId" and c.retired_at is null
         where w.version is null
       )
       select c.place, c.chunk_id as "chunkId", c.ordinal, c.heading_path as "headingPath", encode(c.content_hash, 'hex') as "contentHash"
       from found c where ${READABLE} order by c.place, c.ordinal`,
      [this.tenancy.tenant, JSON.stringify(wanted.map((one, place) => ({ ...one, place })))],
    );
    const byPlace = Map.groupBy(rows, ({ place }) => place);
    return wanted.map((_, place) => byPlace.get(place) ?? []);
  }
}

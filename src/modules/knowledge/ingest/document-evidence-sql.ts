import { INGEST_COMPLETED } from '../../../evidence/content-bindings.js';
import { namePart } from '../../../common/evidence-log/receipted-rows.js';
import { DOCUMENT_WITHDRAWN } from './ingest.events.js';

const NAMED = 'unnest($1::text[], $2::text[], $3::text[], $4::int[]) n (tenant_id, corpus_id, doc_id, version)';
/** Versions by their names ($1 to $4), with their documents. */
export const VERSIONS = `
  select distinct on (v.tenant_id, v.corpus_id, v.doc_id, v.version) v.tenant_id, v.corpus_id, v.doc_id, v.version, v.content, v.content_hash,
    v.accepted_by as written_by, v.accepted_at as written_at, v.shareability, v.metadata ->> 'contentType' as content_type, v.chunk_count, v.locations, d.doc_id is not null as has_document,
    coalesce(d.current_version, 0) as current_version,
    coalesce(d.current_version = v.version and d.quarantined_version is distinct from v.version, false) as is_shown,
    coalesce(d.current_version = v.version and d.quarantined_version = v.version, false) as is_aside,
    case when d.current_version = v.version then d.shareability end as listed_as,
    array(select s.shareability || ' ' || s.language from index_shard s where s.tenant_id = v.tenant_id and s.corpus_id = v.corpus_id) as shards
  from ${NAMED} join document_version v using (tenant_id, corpus_id, doc_id, version)
    left join document d on d.tenant_id = v.tenant_id and d.corpus_id = v.corpus_id and d.doc_id = v.doc_id`;
export const PASSAGES = `
  select c.tenant_id, c.corpus_id, c.doc_id, c.version, c.chunk_id, c.content, c.content_hash, c.start_offset, c.end_offset, c.location,
    c.shareability, c.language, c.retired_at is null as is_shown
  from (select distinct * from ${NAMED}) n join chunk c using (tenant_id, corpus_id, doc_id, version)
  order by c.tenant_id, c.corpus_id, c.doc_id, c.version, c.ordinal`;

export const WITHDRAWALS_AT_ONCE = 1000;

/** The first receipts of one version: more than one, for processes have clocks of their own. */
export const FIRST_ACCEPTANCES = `
  select r.tenant_id, r.receipt_id, r.kind, r.cose from (
    select distinct tenant_id, receipt_id from ingest where tenant_id = $1 and corpus_id = $2 and doc_id = $3 and version = $4) i
  join receipt r using (tenant_id, receipt_id) order by r.occurred_at limit 4`;

/**
 * Receipts of withdrawals of documents with an id, the last one first, before the receipt $3 where there is one: of all
 * corpora, for $2 is an id in one of them.
 */
export const WITHDRAWALS = `
  select tenant_id, receipt_id, kind, cose from receipt
  where tenant_id = $1 and subject = $2 and kind = '${DOCUMENT_WITHDRAWN}'
    and ($3::uuid is null or (occurred_at, receipt_id) < (select b.occurred_at, b.receipt_id from receipt b where b.tenant_id = $1 and b.receipt_id = $3))
  order by occurred_at desc, receipt_id desc limit ${WITHDRAWALS_AT_ONCE}`;

export const BATCHES = `
  select n.tenant_id, n.receipt_id, b.ingests as ids, b.leaves
  from unnest($1::text[], $2::uuid[]) with ordinality n (tenant_id, receipt_id, place) left join ingest_batch b using (tenant_id, receipt_id)
  order by n.place`;
export const INGESTS = `
  select tenant_id, ingest_id, corpus_id, doc_id, version from ingest where tenant_id = $1 and ingest_id = any($2::uuid[])`;

/** Of a document, the version in search and the newest one. */
export const VERSIONS_OF_DOCUMENTS = `(
  select d.ctid, d.tenant_id, d.corpus_id, d.doc_id, u.version
  from document d cross join lateral unnest(array[d.current_version, d.latest_version]) u (version) where u.version > 0) d`;

/**
 * The receipts of the ingests of some rows: under which they were accepted, and of their end; not those of a batch that
 * does not hold them.
 */
export function receiptsOf(rows: string): string {
  const name = `${namePart('corpus_id')} || '/' || doc_id || '/' || version`;
  const bound = (receipt: string) =>
    `case when not exists (select from ingest_batch b where b.tenant_id = i.tenant_id and b.receipt_id = ${receipt} and i.ingest_id <> all(b.ingests)) then ${receipt} end`;
  return `
    with versions as (
      select distinct tenant_id, corpus_id, doc_id, version from ${rows} where ctid >= $1::tid and ctid < $2::tid
    ), ingests as (
      select v.*, i.ingest_id, i.receipt_id, i.completed_id from versions v left join ingest i using (tenant_id, corpus_id, doc_id, version)
    )
    select tenant_id, ${bound('i.receipt_id')} as receipt_id, ${name} as name from ingests i
    union all
    select tenant_id, ${bound('i.completed_id')}, ${name} from ingests i where i.completed_id is not null
    union all
    select r.tenant_id, r.receipt_id, ${name} from ingests i
    join receipt r on r.tenant_id = i.tenant_id and r.subject = i.ingest_id::text and r.kind = '${INGEST_COMPLETED}' where i.completed_id is null`;
}

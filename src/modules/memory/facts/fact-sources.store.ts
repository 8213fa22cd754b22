import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { documentsWritten } from '../../knowledge/citations/present-documents.views.js';
import { followIndexes } from './fact-sql.js';
import type { SeenSource } from './fact-sources.rules.js';
import type { FactSource } from './fact-sources.types.js';

/** Whose private facts are among what is found. */
export interface SourceReader {
  principal: string;
  seesAll: boolean;
}

/** What facts were learnt from, as row-level security lets the open unit of work's tenant see it. */
@Injectable()
export class FactSourcesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** All that these ids name, but for passages. */
  find(ids: readonly string[], { principal, seesAll }: SourceReader): Promise<FactSource[]> {
    const documents = ids.flatMap((id) => documentsWritten(id).map((name) => ({ ...name, id })));
    return this.tenancy.query<FactSource>(FOUND, [
      ...[this.tenancy.tenant, ids, ids.filter(isUuid), principal, seesAll],
      documents.map(({ id }) => id),
      documents.map(({ corpusId }) => corpusId),
      documents.map(({ docId }) => docId),
    ]);
  }

  /** The sources of these facts, in their order, with what stands there now. */
  async see(
    factIds: readonly string[],
    { principal, seesAll }: SourceReader,
  ): Promise<(SeenSource & { fact_id: string })[]> {
    await followIndexes(this.tenancy);
    return this.tenancy.query(SEEN, [this.tenancy.tenant, factIds, principal, seesAll]);
  }
}

const mayBeSeen = (principal: string, seesAll: string): string =>
  `f.deleted_at is null and not f.tombstone and (f.visibility = 0 or ${seesAll} or f.owner = ${principal})`;

/** The digest of a document's text: over those of its passages. */
const textDigest = (owner: string, corpus: string, doc: string): string => `
  select 'sha256:' || encode(sha256(string_agg(c.content_hash, ''::bytea order by c.ordinal)), 'hex') as digest, max(c.version) as version
  from chunk c where c.tenant_id = ${owner} and c.corpus_id = ${corpus} and c.doc_id = ${doc} and c.retired_at is null`;

const NOWHERE = 'null as owner_tenant_id, null as corpus_id, null as doc_id';

const FOUND = `
  select n.id, 'fact' as kind, f.version, null as digest, ${NOWHERE} from unnest($3::text[]) n (id)
  cross join lateral (select f.* from fact f where f.tenant_id = $1 and f.fact_id = n.id::uuid offset 0) f where ${mayBeSeen('$4', '$5')}
  union all
  select a.id, 'answer', v.version, null, ${NOWHERE} from unnest($2::text[]) a (id)
  cross join lateral (select v.version from answer v where v.tenant_id = $1 and v.answer_id = a.id order by v.version desc limit 1) v
  union all
  select r.id, 'receipt', null, null, ${NOWHERE} from unnest($2::text[]) r (id)
  where r.id not in (select svc_unknown_receipts($1, $2::text[]))
  union all
  select d.* from (
    select distinct on (w.id) w.id, 'document', t.version, t.digest, v.tenant_id, w.corpus, w.doc
    from unnest($6::text[], $7::text[], $8::text[]) w (id, corpus, doc) join svc_visible_shards() v on v.corpus_id = w.corpus
    cross join lateral (${textDigest('v.tenant_id', 'w.corpus', 'w.doc')}) t
    where t.digest is not null order by w.id, v.tenant_id <> $1, length(w.corpus), v.tenant_id) d`;

/** Each join is by a whole key, which is null for sources of the other kinds. */
const SEEN = `
  select r.fact_id, r.kind, r.source_id as id, r.version, r.digest, r.owner_tenant_id, r.corpus_id, r.doc_id,
    s.fact_id is not null as fact_found, s.current_fact_id, a.version as answer_version, d.digest as text_digest, p.chunk_id as passage_there
  from fact_source_ref r
  left join lateral (
    select f.fact_id, c.fact_id as current_fact_id from fact f
    left join fact_head h on h.tenant_id = $1 and h.chain = f.chain and h.records > 0
    left join fact c on c.tenant_id = $1 and c.seq = h.seq
    where f.tenant_id = $1 and f.fact_id = case r.kind when 'fact' then r.source_id::uuid end and ${mayBeSeen('$3', '$4')}) s on true
  left join lateral (
    select v.version from answer v where v.tenant_id = $1 and v.answer_id = case r.kind when 'answer' then r.source_id end
    order by v.version desc limit 1) a on true
  left join lateral (${textDigest("case r.kind when 'document' then r.owner_tenant_id end", 'r.corpus_id', 'r.doc_id')}) d on true
  left join lateral (
    select n.chunk_id from chunk o
    join chunk n on n.tenant_id = o.tenant_id and n.corpus_id = o.corpus_id and n.doc_id = o.doc_id and n.ordinal = o.ordinal and n.retired_at is null
    where o.tenant_id = r.owner_tenant_id and o.chunk_id = case r.kind when 'passage' then r.source_id end
    order by n.version desc limit 1) p on true
  where r.tenant_id = $1 and r.fact_id = any($2::uuid[]) order by r.fact_id, r.position`;

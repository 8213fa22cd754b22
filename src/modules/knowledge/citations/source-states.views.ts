import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { chunkOf, type ChunkRow } from './citations.store.js';
import type { SeenDocument } from './source-states.rules.js';
import type { PassageThen } from './source-states.types.js';

type FoundRow = { found_version: number | null; quarantined: boolean } & (ChunkRow | { chunk_id: null });

/** Documents that passages were of, as row-level security lets the open unit of work's tenant see them now. */
@Injectable()
export class SourceStatesViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** One for each passage, in their order. */
  async find(passages: readonly PassageThen[]): Promise<SeenDocument[]> {
    if (passages.length === 0) return [];
    const rows = await this.tenancy.query<FoundRow>(
      `with wanted as (
         select * from jsonb_to_recordset($1::jsonb) as w(ordinal int, owner text, corpus text, doc text, hash text)
       ), present as materialized (
         select c.tenant_id, c.corpus_id, c.doc_id, c.version, c.chunk_id, c.ordinal, c.content_hash
         from (select distinct owner, corpus, doc from wanted) d
         join chunk c on c.tenant_id = d.owner and c.corpus_id = d.corpus and c.doc_id = d.doc and c.retired_at is null
       ), newest as (
         select tenant_id, corpus_id, doc_id, max(version) as version from present group by 1, 2, 3
       ), standing as (
         select distinct on (w.ordinal) w.ordinal, p.tenant_id, p.chunk_id
         from wanted w join present p on p.tenant_id = w.owner and p.corpus_id = w.corpus and p.doc_id = w.doc and p.content_hash = decode(w.hash, 'hex')
         order by w.ordinal, p.ordinal
       )
       select n.version as found_version, q.doc_id is not null as quarantined, c.chunk_id, c.tenant_id, c.corpus_id, c.doc_id, c.version, c.title, c.url, c.content, c.content_hash,
         c.shareability, true as current
       from wanted w
       left join newest n on n.tenant_id = w.owner and n.corpus_id = w.corpus and n.doc_id = w.doc
       left join standing s on s.ordinal = w.ordinal
       left join document q on q.tenant_id = w.owner and q.corpus_id = w.corpus and q.doc_id = w.doc and q.quarantined_version = q.current_version
       left join chunk c on c.tenant_id = s.tenant_id and c.chunk_id = s.chunk_id
       order by w.ordinal`,
      [JSON.stringify(passages.map(wantedOf))],
    );
    return rows.map((row) => ({
      version: row.found_version,
      quarantined: row.quarantined,
      standing: row.chunk_id === null ? null : chunkOf(row),
    }));
  }
}

const wantedOf = ({ ownerTenantId, corpusId, docId, contentHash }: PassageThen, ordinal: number) => ({
  ordinal,
  owner: ownerTenantId,
  corpus: corpusId,
  doc: docId,
  hash: contentHash.slice('blake3:'.length),
});

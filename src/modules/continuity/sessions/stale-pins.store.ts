import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { PinChange, StalePin } from './continuity.types.js';

/** The last row of the page before: kind, name, ordinal of the pin. */
export type PinPosition = [string, string, number];

const PIN =
  'p.kind, p.name, n.version, n.ordinal, n.note, n.pinned_at, n.chunk_id as pinned_chunk_id, n.answer_id, n.answer_version';
const PINS = 'primitive p join primitive_pin n using (tenant_id, home_id, kind, name, version)';
const IN_FORCE = `p.tenant_id = $1 and p.home_id = $2 and not p.retired
  and ($3::text is null or (p.kind, p.name, n.ordinal) > ($3, $4::text collate "C", $5::float8))`;

/**
 * Pins whose source is not what it was: everything a pin rests on (a passage, or the passages an answer cites) held
 * against the passages as the
 * tenant sees them in this moment. Of another tenant's document only its shared, current passages can be seen, so that
 * "deleted" and "no longer
 * shared" look alike there.
 */
const STALE = `
  with resting as (
    select ${PIN}, x.* from ${PINS}
    cross join lateral (
      select 0 as position, n.chunk_id, n.owner_tenant_id, n.corpus_id, n.doc_id, n.doc_version, n.content, n.content_hash where n.chunk_id is not null
      union all
      select c.ordinal, c.chunk_id, c.owner_tenant_id, c.corpus_id, c.doc_id, c.doc_version, c.content, c.content_hash from citation c
      where c.tenant_id = n.tenant_id and c.answer_id = n.answer_id and c.version = n.answer_version
    ) x
    where ${IN_FORCE}
  ), gone as (
    select r.*, c.retired_at, r.owner_tenant_id = $1 as own from resting r
    left join chunk c on c.tenant_id = r.owner_tenant_id and c.chunk_id = r.chunk_id
    where c.chunk_id is null or c.retired_at is not null
  ), stale as (
    select g.kind, g.name, g.version, g.ordinal, g.note, g.pinned_at, g.pinned_chunk_id, g.answer_id, g.answer_version, g.position,
      json_build_object(
        'change', case when now.version is not null then 'reingested' when g.own then 'deleted' else 'not_visible' end,
        'chunkId', g.chunk_id, 'source', case when g.own then 'tenant' else 'commons' end,
        'corpusId', g.corpus_id, 'docId', g.doc_id, 'oldVersion', g.doc_version, 'newVersion', now.version,
        'excerpt', left(g.content, 160), 'contentHash', 'blake3:' || encode(g.content_hash, 'hex'),
        'oldDocumentHash', 'blake3:' || encode(v.content_hash, 'hex'), 'newDocumentHash', 'blake3:' || encode(w.content_hash, 'hex'),
        'changedAt', case when now.version is null then d.deleted_at else g.retired_at end,
        'replacement', case when s.chunk_id is not null then json_build_object('chunkId', s.chunk_id, 'version', s.version,
          'contentHash', 'blake3:' || encode(s.content_hash, 'hex'), 'match', case when s.identical then 'identical' else 'contained' end) end
      ) as change
    from gone g
    left join lateral (
      select max(c.version) as version from chunk c
      where c.tenant_id = g.owner_tenant_id and c.corpus_id = g.corpus_id and c.doc_id = g.doc_id and c.retired_at is null
    ) now on true
    left join lateral (
      select c.chunk_id, c.version, c.content_hash, c.content_hash = g.content_hash as identical from chunk c
      where c.tenant_id = g.owner_tenant_id and c.corpus_id = g.corpus_id and c.doc_id = g.doc_id and c.retired_at is null
        and (c.content_hash = g.content_hash or strpos(c.content, g.content) > 0)
      order by identical desc, c.ordinal limit 1
    ) s on true
    left join document d on d.tenant_id = g.owner_tenant_id and d.corpus_id = g.corpus_id and d.doc_id = g.doc_id
    left join document_version v on v.tenant_id = g.owner_tenant_id and v.corpus_id = g.corpus_id and v.doc_id = g.doc_id and v.version = g.doc_version
    left join document_version w on w.tenant_id = g.owner_tenant_id and w.corpus_id = g.corpus_id and w.doc_id = g.doc_id and w.version = now.version
    union all
    select ${PIN}, -1, json_build_object('change', 'answer_revised', 'chunkId', null, 'source', null, 'corpusId', null, 'docId', null,
      'oldVersion', n.answer_version, 'newVersion', a.version, 'excerpt', null, 'contentHash', null, 'oldDocumentHash', null, 'newDocumentHash', null,
      'changedAt', a.recorded_at, 'replacement', null)
    from ${PINS}
    cross join lateral (
      select a.version, a.recorded_at from answer a where a.tenant_id = n.tenant_id and a.answer_id = n.answer_id order by a.version desc limit 1
    ) a
    where ${IN_FORCE} and a.version > n.answer_version
  )`;

/** Reads what pins rest on as it is now; nothing of it is stored. */
@Injectable()
export class StalePinsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async find(homeId: string, after: PinPosition | undefined, limit: number): Promise<StalePin[]> {
    const rows = await this.tenancy.query<StaleRow>(
      `${STALE}
       select kind, name, version, ordinal, note, pinned_at, pinned_chunk_id, answer_id, answer_version, json_agg(change order by position) as changes
       from stale group by kind, name, version, ordinal, note, pinned_at, pinned_chunk_id, answer_id, answer_version
       order by kind, name, ordinal limit $6`,
      [this.tenancy.tenant, homeId, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, limit],
    );
    return rows.map(staleOf);
  }

  async count(homeId: string): Promise<number> {
    const [row] = await this.tenancy.query<{ pins: number }>(
      `${STALE} select count(distinct (kind, name, ordinal))::int as pins from stale`,
      [this.tenancy.tenant, homeId, null, null, null],
    );
    return row!.pins;
  }
}

interface StaleRow {
  kind: StalePin['kind'];
  name: string;
  version: number;
  ordinal: number;
  note: string | null;
  pinned_at: Date;
  pinned_chunk_id: string | null;
  answer_id: string | null;
  answer_version: number | null;
  changes: PinChange[];
}

const staleOf = (row: StaleRow): StalePin => ({
  kind: row.kind,
  name: row.name,
  version: row.version,
  ordinal: row.ordinal,
  chunkId: row.pinned_chunk_id,
  answerId: row.answer_id,
  answerVersion: row.answer_version,
  note: row.note,
  pinnedAt: row.pinned_at,
  changes: row.changes.map((change) => ({
    ...change,
    changedAt: change.changedAt === null ? null : new Date(change.changedAt).toISOString(),
  })),
});
